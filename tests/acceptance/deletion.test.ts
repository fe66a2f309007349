import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startService } from '../support/service.ts'
import { eventually } from '../support/spans.ts'
import { createGroupSetup, GROUP, newSpan, resultsOf, type SentSpan, sendSpans } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

async function post(route: string, body: object, key = FIRST_KEY): Promise<Json> {
  const answer = await service.call('POST', route, { body, key })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

/** An organization of its own for each test, with a setup that takes every span of the group. */
async function newTenant(name: string): Promise<{ key: string; projectId: string }> {
  const owner = await post('/v2/organizations', { org_name: name })
  const key = owner.environments[0].api_key
  await createGroupSetup(service, 'talk', { evaluators: ['char-count', 'json-validator'] }, key)
  const { json } = await service.call('GET', '/v2/projects', { key })
  return { key, projectId: json.projects[0].id }
}

const spanOf = (answer: string, session: string, rest: Partial<SentSpan> = {}) =>
  newSpan({ answer, attributes: { [GROUP]: 'talk', 'gen_ai.conversation.id': session }, ...rest })

async function get(route: string, key: string): Promise<Json> {
  const answer = await service.call('GET', route, { key })
  assert.equal(answer.status, 200, `${route}: ${answer.text}`)
  return answer.json
}

async function remove(route: string, key: string): Promise<Json> {
  const answer = await service.call('DELETE', route, { key })
  assert.equal(answer.status, 202, answer.text)
  return answer.json
}

/** Every answer that could show something of a trace, as text. */
async function everything(key: string, { traceId, spanId }: SentSpan): Promise<string> {
  const fromS = Math.floor(Date.now() / 1_000) - 3_600
  const routes = [
    '/v2/evaluations?limit=1000&history=true',
    `/v2/evaluations?trace_id=${traceId}`,
    '/v2/evaluations/export',
    '/v2/traces',
    `/v2/traces/${traceId}`,
    '/v2/sessions',
    '/v2/scores',
    '/v2/monitors',
    `/v2/spans/${traceId}/${spanId}/explain`,
    `/v2/warehouse/spans?from_timestamp_sec=${fromS}&to_timestamp_sec=${fromS + 7_200}`,
  ]
  const texts = await Promise.all(
    routes.map(async (route) => {
      const answer = await fetch(service.url + route, { headers: { authorization: `Bearer ${key}` } })
      assert.ok([200, 404].includes(answer.status), `${route}: ${answer.status}`)
      // The message of a 404 may name the id in the request.
      return answer.status === 404 ? '' : answer.text()
    }),
  )
  return texts.join('\n')
}

test('202 deletes a trace: hidden at once, not taken in again, and gone from the files', async () => {
  const { key } = await newTenant('Trace')
  const gone = spanOf('a very private answer', 'private-session')
  const kept = spanOf('a public answer', 'public-session')
  await sendSpans(service, [gone, kept], { key })
  await resultsOf(service, 'talk', 4, key)
  const score = { trace_id: gone.traceId, name: 'liked', value: true, comment: 'a very private comment' }
  await post('/v2/scores', score, key)
  assert.match(await everything(key, gone), /very private/)
  const { erased_by: erasedBy } = await remove(`/v2/traces/${gone.traceId}`, key)
  assert.ok(Math.abs(Date.parse(erasedBy) - Date.now() - 86_400_000) < 600_000)
  const shown = await everything(key, gone)
  for (const text of [gone.traceId, gone.spanId, 'very private', 'private-session'])
    assert.ok(!shown.includes(text), text)
  assert.ok(shown.includes(kept.traceId))
  assertError(await service.call('GET', `/v2/traces/${gone.traceId}`, { key }), 404)
  // Again, and by its name in capitals.
  await remove(`/v2/traces/${gone.traceId.toUpperCase()}`, key)

  const late = spanOf('a very private answer', 'private-session', { traceId: gone.traceId })
  const beside = spanOf('another public answer', 'public-session')
  await sendSpans(service, [late, beside], { key })
  await resultsOf(service, 'talk', 4, key)
  assert.ok(!(await everything(key, late)).includes(gone.traceId))

  await eventually(async () => {
    const files = await service.store.contents()
    return !files.some((file) => file.includes('very private comment') || file.includes('private-session'))
  }, 'the files hold nothing of it')
})

test('202 deletes a session with spans that have arrived a moment before', async () => {
  const { key } = await newTenant('Session')
  const mine = [spanOf('my secret', 'my session/1'), spanOf('my other secret', 'my session/1')]
  const kept = spanOf('something else', 'other')
  await sendSpans(service, [...mine, kept], { key })
  await remove(`/v2/sessions/${encodeURIComponent('my session/1')}`, key)
  for (const span of mine) {
    const shown = await everything(key, span)
    for (const text of [span.traceId, 'my secret', 'my session/1']) assert.ok(!shown.includes(text), text)
  }
  const results = await resultsOf(service, 'talk', 2, key)
  assert.deepEqual([...new Set(results.map((found: Json) => found.trace_id))], [kept.traceId])
  // A span that begins later is new.
  const next = spanOf('a new beginning', 'my session/1')
  await sendSpans(service, [next], { key })
  await resultsOf(service, 'talk', 4, key)
  assert.ok((await everything(key, next)).includes('my session/1'))
})

test('202 deletes all data of a project, and what was configured goes on to work', async () => {
  const { key, projectId } = await newTenant('Project')
  const span = spanOf('all of this goes', 'session')
  await sendSpans(service, [span], { key })
  await resultsOf(service, 'talk', 2, key)
  await remove(`/v2/projects/${projectId}/data`, key)
  assert.ok(!(await everything(key, span)).includes(span.traceId))
  const { monitors } = await get('/v2/monitors', key)
  for (const { counts } of monitors) assert.equal(counts.scored ?? 0, 0)
  assert.equal((await get('/v2/auto-monitor-setups/talk', key)).status, 'completed')
  await sendSpans(service, [span], { key })
  const results = await resultsOf(service, 'talk', 2, key)
  assert.equal(results[0].trace_id, span.traceId)
})

test('403 and 404 keep a deletion to those who may', async () => {
  const { key, projectId } = await newTenant('Mine')
  const other = await newTenant('Other')
  const span = spanOf('mine', 'same-session')
  await sendSpans(service, [span], { key })
  await resultsOf(service, 'talk', 2, key)
  await remove(`/v2/traces/${span.traceId}`, other.key)
  await remove('/v2/sessions/same-session', other.key)
  assertError(
    await service.call('DELETE', `/v2/projects/${projectId}/data`, { key: other.key }),
    404,
    'project not found',
  )
  await resultsOf(service, 'talk', 2, key)
  const reader = await post('/v2/api-keys', { project_id: projectId, scopes: ['read', 'ingest'] }, key)
  const writer = await post('/v2/api-keys', { project_id: projectId, scopes: ['write'] }, key)
  for (const route of [`/v2/traces/${span.traceId}`, '/v2/sessions/s'])
    assertError(await service.call('DELETE', route, { key: reader.api_key }), 403, /write/)
  const all = `/v2/projects/${projectId}/data`
  assertError(await service.call('DELETE', all, { key: writer.api_key }), 403, /admin/)
})

test('202 says what is erased, and 200 says when it is', async () => {
  const { key, projectId } = await newTenant('Counted')
  const other = await newTenant('Not theirs')
  const spans = [spanOf('one', 'counted'), spanOf('two', 'counted'), spanOf('three', 'counted')]
  await sendSpans(service, spans, { key })
  await resultsOf(service, 'talk', 6, key)
  const deletions = [
    await remove(`/v2/traces/${spans[0]?.traceId}`, key),
    await remove('/v2/sessions/counted', key),
    await remove(`/v2/projects/${projectId}/data`, key),
  ]
  assert.deepEqual(
    deletions.map((deletion: Json) => [deletion.kind, deletion.spans, deletion.evaluations]).slice(0, 2),
    [
      ['trace', 1, 2],
      ['session', 2, 4],
    ],
  )
  for (const { id, erased_by: erasedBy } of deletions) {
    assertError(
      await service.call('GET', `/v2/deletions/${id}`, { key: other.key }),
      404,
      'deletion not found',
    )
    const found = await eventually(async () => {
      // With PostgreSQL it is erased when the server has cleaned up, which is asked for every ten minutes at most.
      if (service.store.kind === 'postgres')
        await service.store.run('UPDATE erasure_progress SET vacuumed_at_ms = 0')
      const deletion = await get(`/v2/deletions/${id}`, key)
      assert.ok(['erasing', 'erased'].includes(deletion.status))
      return deletion.status === 'erased' && deletion
    }, 'it is erased')
    assert.ok(found.erased_at <= erasedBy && found.erased_at >= found.requested_at)
  }
  assertError(await service.call('GET', '/v2/deletions/unknown', { key }), 404, 'deletion not found')
  const second = await post('/v2/projects', { name: 'Second' }, key)
  const writer = await post('/v2/api-keys', { project_id: second.id, scopes: ['write'] }, key)
  const [first] = deletions
  assertError(await service.call('GET', `/v2/deletions/${first.id}`, { key: writer.api_key }), 404)
})

test('400 names a trace id that is none', async () => {
  const answer = await service.call('DELETE', '/v2/traces/abc')
  assertError(answer, 400, 'invalid input: trace_id must be 32 hex digits')
})
