import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, monitorOf, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()
const LIST = '/v2/evaluations'

// One setup with two evaluators and spans that give every kind of result that exact evaluators have.
const answers = ['one', 'three words here', '{"ok":true}', '{"ok":', undefined] as const
const spans = answers.map((answer, at) =>
  newSpan({
    ...(answer === undefined ? {} : { answer }),
    startMs: Math.floor(Date.now() / 1_000) * 1_000 - 1_000 * at,
    attributes: { [GROUP]: 'talk', 'gen_ai.conversation.id': `chat-${at}` },
  }),
)
await createGroupSetup(service, 'talk', { evaluators: ['char-count', 'json-validator'] })
await sendSpans(service, spans)
const results = await resultsOf(service, 'talk', 10)

// biome-ignore lint/suspicious/noExplicitAny: results of every shape.
type Result = any
const find = (slug: string, at: number): Result =>
  results.find((result: Result) => result.evaluator_type === slug && result.span_id === spans[at]?.spanId)
const list = async (query: string): Promise<Result[]> => {
  const answer = await service.call('GET', `${LIST}?limit=1000&${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.evaluations
}

test('200 tells each result with what it belongs to', async () => {
  const monitorId = await monitorOf(service, 'talk', 'char-count')
  const { id, created_at: createdAt, ...result } = find('char-count', 1)
  assert.match(id, /^[0-9a-f]{16}$/)
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 600_000)
  assert.deepEqual(result, {
    external_id: 'talk',
    monitor_id: monitorId,
    evaluator_type: 'char-count',
    scope: 'span',
    trace_id: spans[1]?.traceId,
    span_id: spans[1]?.spanId,
    session_id: 'chat-1',
    application: 'shop',
    status: 'scored',
    output: { char_count: 16 },
    verdict: 'neutral',
  })
  assert.deepEqual(find('json-validator', 2).output, { is_valid_json: true })
  assert.deepEqual(find('json-validator', 3).output, { is_valid_json: false })
})

test('200 has a reason and no output where a span lacks the input', () => {
  const result = find('char-count', 4)
  assert.equal(result.status, 'missing_input')
  assert.match(result.error_message, /text/)
  assert.ok(!('output' in result))
})

test('200 has no key that does not apply', () => {
  for (const result of results) {
    assert.ok(!('judge' in result))
    for (const [key, value] of Object.entries(result)) assert.notEqual(value, null, key)
  }
})

test('200 lists the newest first and has no next_cursor at the end', async () => {
  const answer = await service.call('GET', LIST)
  const ids = answer.json.evaluations.map(({ id }: Result) => id)
  assert.deepEqual(ids, ids.toSorted().reverse())
  assert.ok(!('next_cursor' in answer.json))
})

test('200 filters', async () => {
  const monitorId = await monitorOf(service, 'talk', 'json-validator')
  const [first] = spans
  const { traceId = '', spanId = '' } = first ?? {}
  assert.equal((await list('external_id=talk')).length, 10)
  assert.equal((await list('external_id=other')).length, 0)
  assert.equal((await list(`monitor_id=${monitorId}`)).length, 5)
  assert.equal((await list('evaluator_type=char-count')).length, 5)
  assert.equal((await list('evaluator_type=word-count')).length, 0)
  assert.equal((await list('status=scored')).length, 8)
  assert.equal((await list('status=missing_input')).length, 2)
  assert.equal((await list('status=sampled_out')).length, 0)
  assert.equal((await list('min_value=5')).length, 3)
  assert.equal((await list('min_value=5&max_value=11')).length, 2)
  assert.equal((await list('evaluator_type=json-validator&min_value=1')).length, 1)
  assert.equal((await list('max_value=-1e3')).length, 0)
  assert.equal((await list(`trace_id=${traceId}`)).length, 2)
  assert.equal((await list(`trace_id=${traceId.toUpperCase()}&span_id=${spanId.toUpperCase()}`)).length, 2)
  assert.equal((await list(`span_id=${spans[1]?.spanId}`)).length, 2)
  assert.equal((await list('application=shop')).length, 10)
  assert.equal((await list('application=bank')).length, 0)
  assert.equal((await list('history=true')).length, 10)
  assert.equal((await list('history=false&status=superseded')).length, 0)
})

test('200 takes times as ISO 8601 and as Unix seconds, the end not included', async () => {
  const [newest] = results
  const ms = Date.parse(newest.created_at)
  const before = results.filter(({ created_at: at }: Result) => Date.parse(at) < ms).length
  assert.equal((await list(`to=${newest.created_at}`)).length, before)
  assert.equal((await list(`to=${ms / 1_000}`)).length, before)
  assert.equal((await list(`from=${newest.created_at}`)).length, 10 - before)
  assert.equal((await list(`from=${ms / 1_000}`)).length, 10 - before)
  assert.equal((await list(`from=${encodeURIComponent('2020-01-01T00:00:00+02:00')}`)).length, 10)
  assert.equal((await list('to=1577836800')).length, 0)
})

test('400 names the parameter', async () => {
  const faults: Record<string, string | RegExp> = {
    'limit=0': 'invalid input: limit must be an integer from 1 to 1000',
    'limit=1001': 'invalid input: limit must be an integer from 1 to 1000',
    'limit=ten': 'invalid input: limit must be an integer from 1 to 1000',
    'cursor=abc': 'invalid input: cursor must be the next_cursor of the page before',
    'cursor=': 'invalid input: cursor must be the next_cursor of the page before',
    'status=fine': /^invalid input: status must be one of scored, abstained, /,
    'min_value=high': 'invalid input: min_value must be a number',
    'max_value=NaN': 'invalid input: max_value must be a number',
    'max_value=1e999': 'invalid input: max_value must be a number',
    'min_value=2&max_value=1': 'invalid input: min_value must be at most max_value',
    'from=yesterday': /^invalid input: from must be an ISO 8601 time/,
    'from=2026-01-01': /^invalid input: from must be an ISO 8601 time/,
    'to=99999999999999': /^invalid input: to must be an ISO 8601 time/,
    'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z': 'invalid input: from must be before to',
    'application=%00': 'invalid input: application must not contain the character U+0000',
    'trace_id=12': 'invalid input: trace_id must be 32 hex digits',
    'span_id=zzzzzzzzzzzzzzzz': 'invalid input: span_id must be 16 hex digits',
    'history=maybe': 'invalid input: history must be one of true, false',
    'status=scored&status=error':
      'invalid input: status must be one of scored, abstained, missing_input, unparseable, refused, over_budget, sampled_out, skipped, cancelled, superseded, error',
  }
  for (const [query, message] of Object.entries(faults)) {
    assertError(await service.call('GET', `${LIST}?${query}`), 400, message)
  }
})

test('200 pages without gap or repeat while more is recorded', async () => {
  await createGroupSetup(service, 'pages', { evaluators: ['char-count'] })
  const send = (count: number) =>
    sendSpans(
      service,
      Array.from({ length: count }, () => newSpan({ answer: 'text', attributes: { [GROUP]: 'pages' } })),
    )
  await send(23)
  const before: Result[] = await resultsOf(service, 'pages', 23)
  const seen: Result[] = []
  for (let cursor = ''; ; ) {
    const answer = await service.call('GET', `${LIST}?external_id=pages&limit=5${cursor}`)
    assert.equal(answer.status, 200, answer.text)
    seen.push(...answer.json.evaluations)
    const total = 23 + 3 * Math.ceil(seen.length / 5)
    await send(3)
    await until(service, `${LIST}?external_id=pages&limit=1000`, (json) => json.evaluations.length >= total)
    if (!('next_cursor' in answer.json)) break
    assert.ok(seen.length <= 23, 'the walk ends')
    assert.match(answer.json.next_cursor, /^[\w-]+$/)
    cursor = `&cursor=${answer.json.next_cursor}`
  }
  assert.deepEqual(seen, before)
})

test('400 refuses the cursor of another list', async () => {
  const { next_cursor: cursor } = (await service.call('GET', '/v2/monitors?limit=1')).json
  assert.match(cursor, /^[\w-]+$/)
  assertError(await service.call('GET', `${LIST}?cursor=${cursor}`), 400, /cursor must be the next_cursor/)
})

test('200 tells one result with its input and what decided it', async () => {
  const listed = find('char-count', 1)
  const answer = await service.call('GET', `${LIST}/${listed.id}`)
  assert.equal(answer.status, 200, answer.text)
  const { timings, mapping, ...rest } = answer.json
  assert.deepEqual(rest, {
    ...listed,
    input: { text: 'three words here' },
    monitor_version: 1,
    evaluator_version: 1,
    generation: 1,
    config: {},
  })
  assert.deepEqual(mapping, { text: { field: 'completion' } })
  assert.equal(Date.parse(timings.unit_started_at), spans[1]?.startMs)
  assert.ok(Date.parse(timings.received_at) <= Date.parse(listed.created_at))
  assert.equal(timings.queued_ms, Date.parse(listed.created_at) - Date.parse(timings.received_at))
  assert.ok(timings.duration_ms >= 0)
})

test('200 says why there is no input', async () => {
  const answer = await service.call('GET', `${LIST}/${find('char-count', 4).id}`)
  assert.equal(answer.status, 200, answer.text)
  assert.ok(!('input' in answer.json))
  assert.equal(answer.json.input_unavailable, 'the span has no text')
})

test('404 for a result that does not exist or is no id', async () => {
  for (const id of ['ffffffffffffffff', '00000000000fffff', '0', 'x', '-1', 'FFFFFFFFFFFFFFFF']) {
    assertError(await service.call('GET', `${LIST}/${id}`), 404, 'evaluation not found')
  }
})

test('200 keeps a result whose span is gone, and says so', async () => {
  const group = 'gone'
  await createGroupSetup(service, group, { evaluators: ['char-count'] })
  const span = newSpan({ answer: 'kept', attributes: { [GROUP]: group, 'gen_ai.request.model': 'gpt-4o' } })
  await sendSpans(service, [span])
  const [{ id }] = await resultsOf(service, group, 1)
  const label = async () => {
    const filters = [{ field: 'trace_id', operator: 'equals', value: span.traceId }]
    const { json } = await service.call('POST', '/v2/metrics', { body: { filters } })
    return json.metrics.data[0].points[0].labels.model
  }
  assert.equal(await label(), 'gpt-4o')
  const dropped = await service.store.run(
    'DELETE FROM span_batches WHERE id = (SELECT batch_id FROM evaluations ORDER BY number DESC LIMIT 1)',
  )
  assert.equal(dropped, 1)
  const { json } = await service.call('GET', `${LIST}/${id}`)
  assert.deepEqual(json.output, { char_count: 4 })
  assert.equal(json.input_unavailable, 'the span is no longer kept')
  assert.deepEqual(Object.keys(json.timings).sort(), ['duration_ms', 'unit_started_at'])
  assert.equal(await label(), undefined)
})

test('200 lists the versions of an application, page by page; 400 names the parameter', async () => {
  const startMs = Math.floor(Date.now() / 1_000) * 1_000
  for (const [version, hours] of [
    ['2.0', 1],
    ['1.0', 2],
  ] as const) {
    const resource = { 'service.name': 'café', 'service.version': version }
    await sendSpans(service, [newSpan({ startMs: startMs - hours * 3_600_000 })], { resource })
  }
  const path = '/v2/deployments?application=caf%C3%A9'
  const all = await until(service, path, ({ deployments }) => deployments.length === 2)
  const at = (hours: number) => new Date(startMs - hours * 3_600_000).toISOString()
  assert.deepEqual(
    all.deployments.map((one: Result) => [
      one.version,
      one.previous_version,
      one.environment,
      one.first_seen_at,
    ]),
    [
      ['2.0', '1.0', 'prd', at(1)],
      ['1.0', undefined, 'prd', at(2)],
    ],
  )
  const first = await service.call('GET', `${path}&limit=1`)
  assert.deepEqual(first.json.deployments, all.deployments.slice(0, 1))
  const second = await service.call('GET', `${path}&limit=1&cursor=${first.json.next_cursor}`)
  assert.deepEqual(second.json, { deployments: all.deployments.slice(1) })
  const early = await service.call('GET', `${path}&to=${at(1)}`)
  assert.deepEqual(early.json, { deployments: all.deployments.slice(1) })
  for (const [query, message] of Object.entries({
    'limit=501': 'invalid input: limit must be an integer from 1 to 500',
    'cursor=abc': 'invalid input: cursor must be the next_cursor of the page before',
    [`from=${at(1)}&to=${at(2)}`]: 'invalid input: from must be before to',
    'from=yesterday': /^invalid input: from must be an ISO 8601 time/,
  }))
    assertError(await service.call('GET', `/v2/deployments?${query}`), 400, message)
})
