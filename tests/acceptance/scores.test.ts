import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, monitorOf, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

const service = await startService()
const foreigner = await create('/v2/organizations', { org_name: 'Foreigner' })
const strangerKey: string = foreigner.environments[0].api_key

async function create(path: string, body: object): Promise<Json> {
  const answer = await service.call('POST', path, { body })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

async function get(path: string, key?: string): Promise<Json> {
  const answer = await service.call('GET', path, key === undefined ? {} : { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const TRACE = 'ab'.repeat(16)
const SPAN = 'cd'.repeat(8)

test('201 keeps a score as it was given, before its trace has come', async () => {
  const given = {
    ...{ trace_id: TRACE, span_id: SPAN, name: 'helpful', value: true, comment: 'to the point' },
    ...{ source: 'human', evaluator: 'answer-relevancy', actor: 'ann' },
  }
  const { id, created_at: createdAt, ...score } = await create('/v2/scores', given)
  assert.deepEqual(score, { ...given, environment: 'prd' })
  assert.match(id, /^[0-9a-f]{16}$/)
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 600_000)
  const { scores } = await get(`/v2/scores?trace_id=${TRACE.toUpperCase()}`)
  assert.deepEqual(scores, [{ id, created_at: createdAt, ...score }])
})

test('200 lists scores newest first, filtered and page by page', async () => {
  for (const value of [1, 0, 'yes', false]) {
    await create('/v2/scores', { session_id: 'listed', name: `n${value}`, value })
  }
  const first = await get('/v2/scores?session_id=listed&limit=3')
  assert.deepEqual(
    first.scores.map(({ value, source }: Json) => [value, source]),
    [
      [false, 'api'],
      ['yes', 'api'],
      [0, 'api'],
    ],
  )
  const second = await get(`/v2/scores?session_id=listed&limit=3&cursor=${first.next_cursor}`)
  assert.deepEqual([second.scores.length, second.scores[0].value, second.next_cursor], [1, 1, undefined])
  assert.equal((await get('/v2/scores?session_id=listed&name=n0')).scores.length, 1)
  assert.deepEqual((await get('/v2/scores?session_id=listed&source=human')).scores, [])
  assert.deepEqual((await get('/v2/scores?session_id=listed&to=2020-01-01T00:00:00Z')).scores, [])
})

for (const [body, message] of [
  [{ name: 'n', value: 1 }, 'invalid input: trace_id is required where there is no session_id'],
  [{ trace_id: 'x', name: 'n', value: 1 }, 'invalid input: trace_id must be 32 hex digits'],
  [
    { session_id: 's', span_id: SPAN, name: 'n', value: 1 },
    'invalid input: trace_id is required together with span_id',
  ],
  [
    { trace_id: TRACE, session_id: 's', name: 'n', value: 1 },
    'invalid input: session_id must not be given together with trace_id',
  ],
  [{ trace_id: TRACE, value: 1 }, 'invalid input: name is required'],
  [{ trace_id: TRACE, name: 'n' }, 'invalid input: value is required'],
  [
    { trace_id: TRACE, name: 'n', value: [1] },
    'invalid input: value must be a number or a boolean or a string',
  ],
  [{ trace_id: TRACE, name: 'n', value: null }, /value/],
  [{ trace_id: TRACE, name: 'n', value: 1, source: 'ghost' }, /source must be one of human, api/],
  [
    { trace_id: TRACE, name: 'n', value: 1, evaluator: 'no-such' },
    'invalid input: evaluator: unknown evaluator slug no-such',
  ],
] as const) {
  test(`400 names the fault of ${JSON.stringify(body)}`, async () => {
    assertError(await service.call('POST', '/v2/scores', { body }), 400, message)
  })
}

test('201 turns the tags of an annotation into scores of a person', async () => {
  const { scores } = await create('/v2/annotation-tasks/tone-detection/annotations', {
    entity_instance_id: 'chat 7',
    tags: { sentiment: 'positive', score: 0.85, tones: ['happy', 'surprised'] },
    ...{ source: 'sdk', flow: 'user_feedback', actor: { type: 'service', id: 'shop' } },
  })
  assert.deepEqual(
    scores.map(({ id: _, created_at: __, ...score }: Json) => score),
    [
      ['sentiment', 'positive'],
      ['score', 0.85],
      ['tones', ['happy', 'surprised']],
    ].map(([name, value]) => ({
      ...{ session_id: 'chat 7', name, value, source: 'human', evaluator: 'tone-detection' },
      ...{ task: 'tone-detection', actor: 'shop', environment: 'prd' },
    })),
  )
  assert.equal((await get('/v2/scores?task=tone-detection')).scores.length, 3)
  const trace = await create('/v2/annotation-tasks/thumbs/annotations', {
    entity_instance_id: TRACE.toUpperCase(),
    tags: { thumb: 'up' },
  })
  assert.deepEqual(
    [trace.scores[0].trace_id, trace.scores[0].session_id, trace.scores[0].evaluator],
    [TRACE, undefined, undefined],
  )
})

for (const [body, message] of [
  [{ tags: { a: 1 } }, 'invalid input: entity_instance_id is required'],
  [{ entity_instance_id: 'e', tags: {} }, 'invalid input: tags must have at least one tag'],
  [
    { entity_instance_id: 'e', tags: { a: { b: 1 } } },
    /tags\.a must be a number or a boolean or a string or an array/,
  ],
] as const) {
  test(`400 names the fault of the annotation ${JSON.stringify(body)}`, async () => {
    const path = '/v2/annotation-tasks/thumbs/annotations'
    assertError(await service.call('POST', path, { body }), 400, message)
  })
}

test('200 shows what people said beside a trace, its spans and its session', async () => {
  const span = newSpan({ answer: 'Hello', attributes: { 'session.id': 'chat 8' } })
  await sendSpans(service, [span])
  const { traceId, spanId } = span
  await create('/v2/scores', { trace_id: traceId, name: 'whole', value: 1 })
  await create('/v2/scores', { trace_id: traceId, span_id: spanId, name: 'part', value: 2 })
  await create('/v2/scores', { session_id: 'chat 8', name: 'talk', value: 3 })
  await until(service, '/v2/sessions', ({ sessions }) =>
    sessions.some((one: Json) => one.session_id === 'chat 8'),
  )
  const names = (scores: Json[]) => scores.map(({ name }) => name)
  const { traces } = await get('/v2/traces?session_id=chat%208')
  assert.deepEqual(names(traces[0].scores), ['talk', 'part', 'whole'])
  assert.deepEqual(names((await get('/v2/sessions/chat%208')).scores), ['talk'])
  const trace = await get(`/v2/traces/${traceId}`)
  assert.deepEqual([names(trace.scores), names(trace.spans[0].scores)], [['talk', 'whole'], ['part']])
})

test('200 tells how far a monitor and people agree, once there are enough pairs', async () => {
  await createGroupSetup(service, 'agreed', { evaluators: ['json-validator', 'char-count'] })
  const spans = Array.from({ length: 10 }, (_, at) =>
    newSpan({ answer: at < 5 ? `{"a": ${at}}` : 'x'.repeat(at), attributes: { [GROUP]: 'agreed' } }),
  )
  await sendSpans(service, spans)
  await resultsOf(service, 'agreed', 20)
  const validator = await monitorOf(service, 'agreed', 'json-validator')
  const counter = await monitorOf(service, 'agreed', 'char-count')
  const say = (at: number, evaluator: string, value: unknown, rest: object = {}) =>
    create('/v2/scores', {
      ...{ trace_id: spans[at]?.traceId, name: 'mine', value, source: 'human', evaluator },
      ...rest,
    })
  for (let at = 0; at < 9; at++) {
    // People find the first four valid; the monitor the first five.
    await say(at, 'json-validator', at < 4, at % 2 ? { span_id: spans[at]?.spanId } : {})
    await say(at, 'char-count', at, { name: 'char_count' })
  }
  const few = await get(`/v2/monitors/${validator}/agreement`)
  assert.deepEqual(few, {
    ...{ monitor_id: validator, evaluator_type: 'json-validator', version: 1, incomparable: 0 },
    properties: [
      {
        ...{ property: 'is_valid_json', kind: 'boolean', pairs: 9 },
        unavailable: 'at least 10 pairs are needed, there are 9',
      },
    ],
  })
  await say(9, 'json-validator', true)
  await say(9, 'json-validator', false)
  await say(9, 'json-validator', true, { source: 'api' })
  await say(9, 'char-count', 'long')
  const { properties } = await get(`/v2/monitors/${validator}/agreement`)
  assert.equal(properties.length, 1)
  // 4 yes-yes, 1 yes-no, 5 no-no: chance is (5 * 4 + 5 * 6) / 100.
  assert.deepEqual([properties[0].pairs, properties[0].agreement], [10, 0.9])
  assert.ok(Math.abs(properties[0].kappa - 0.8) < 1e-9)
  const counted = await get(`/v2/monitors/${counter}/agreement`)
  assert.deepEqual([counted.properties[0].pairs, counted.incomparable], [9, 1])
  await say(9, 'char-count', 9, { name: 'length' })
  const [numbers] = (await get(`/v2/monitors/${counter}/agreement`)).properties
  assert.deepEqual(
    [numbers.property, numbers.kind, numbers.pairs, numbers.kappa],
    ['char_count', 'number', 10, undefined],
  )
  // The answers have 8 characters five times, then 5 to 9; people said 0 to 9.
  assert.ok(Math.abs(numbers.mean_difference - 3) < 1e-9, `${numbers.mean_difference}`)
  assert.ok(Math.abs(numbers.correlation + 2.5 / Math.sqrt(12.5 * 82.5)) < 1e-9, `${numbers.correlation}`)
})

test('200 for a monitor that nobody has scored, 404 for one that is not there', async () => {
  await createGroupSetup(service, 'unscored', { evaluators: ['char-count'] })
  await sendSpans(service, [newSpan({ answer: 'x', attributes: { [GROUP]: 'unscored' } })])
  const monitor = await monitorOf(service, 'unscored', 'char-count')
  const { properties, incomparable } = await get(`/v2/monitors/${monitor}/agreement`)
  assert.deepEqual([properties, incomparable], [[], 0])
  const gone = await service.call('GET', `/v2/monitors/${randomBytes(8).toString('hex')}/agreement`)
  assertError(gone, 404, 'monitor not found')
  const foreign = await service.call('GET', `/v2/monitors/${monitor}/agreement`, { key: strangerKey })
  assertError(foreign, 404, 'monitor not found')
})

test('others see nothing of it, and a key that only reads cannot score', async () => {
  assert.deepEqual((await get(`/v2/scores?trace_id=${TRACE}`, strangerKey)).scores, [])
  assert.deepEqual((await get('/v2/scores', strangerKey)).scores, [])
  const { api_key: reader } = await create('/v2/api-keys', { scopes: ['read'] })
  const body = { trace_id: TRACE, name: 'n', value: 1 }
  assertError(await service.call('POST', '/v2/scores', { body, key: reader }), 403)
  const { api_key: sender } = await create('/v2/api-keys', { scopes: ['ingest'] })
  assert.equal((await service.call('POST', '/v2/scores', { body, key: sender })).status, 201)
})
