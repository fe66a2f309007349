import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, monitorOf, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

const service = await startService()
const other = await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
const stranger: string = other.json.environments[0].api_key
const SETUP = '/v2/auto-monitor-setups/talk'

const spanOf = (question: string, answer: string, startMs = Date.now()) =>
  newSpan({
    answer,
    startMs,
    attributes: {
      [GROUP]: 'talk',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': question,
    },
  })
const spans = [
  spanOf('Where is my parcel?', 'It is late, 👋 sorry. Refund? See our REFUND policy.', Date.now() - 2_000),
  spanOf('=cmd()', 'No', Date.now() - 1_000),
]
await createGroupSetup(service, 'talk', { evaluators: ['char-count', 'word-count'] })
await sendSpans(service, spans)
await resultsOf(service, 'talk', 4)
await until(service, '/v2/traces', ({ traces }) => traces.length === 2)

async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Json> {
  const answer = await service.call(method, path, body === undefined ? {} : { body })
  assert.ok(answer.status < 300, `${path}: ${answer.text}`)
  return answer.json
}

test('200 tells where a searched text was found, in characters', async () => {
  const { traces } = await call('GET', '/v2/traces?q=refund')
  const [{ trace_id: traceId, snippet }] = traces
  assert.deepEqual([traces.length, traceId, snippet.span_id], [1, spans[0]?.traceId, spans[0]?.spanId])
  const characters = Array.from<string>(snippet.text)
  assert.deepEqual(
    snippet.matches.map(({ start, end }: Json) => characters.slice(start, end).join('')),
    ['Refund', 'REFUND'],
  )
  const { traces: all } = await call('GET', '/v2/traces')
  assert.ok(all.every((trace: Json) => !('snippet' in trace)))
})

test('200 exports what a filter leaves, with previews and scores, as lines of JSON and as CSV', async () => {
  const lines = (await service.call('GET', '/v2/traces/export?q=parcel')).text.trim().split('\n')
  const [trace, ...rest] = lines.map((line) => JSON.parse(line))
  assert.deepEqual([rest, trace.trace_id, trace.evaluations.length], [[], spans[0]?.traceId, 2])
  assert.equal(trace.preview.input, 'Where is my parcel?')
  const csv = await service.call('GET', '/v2/traces/export?format=csv')
  assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/)
  const [head, newest, ...older] = csv.text.split('\r\n')
  assert.match(head ?? '', /^trace_id,name,started_at,.*,input,output,.*,evaluations,scores$/)
  assert.ok(newest?.startsWith(`${spans[1]?.traceId},`))
  assert.ok(newest?.includes(",'=cmd(),No,"), 'a formula is made harmless')
  assert.equal(older.length, 2, 'one more trace and the end')
  assertError(await service.call('GET', '/v2/traces/export?format=xml'), 400, /format must be one of/)
  assertError(await service.call('GET', '/v2/traces/export?from=x'), 400, /from must be an ISO 8601 time/)
  assert.equal((await service.call('GET', '/v2/traces/export', { key: stranger })).text, '')
})

test('saved views are created, listed page by page, replaced and deleted', async () => {
  const filter = { status: 'error', range: '24h', 'attributes[tier]': 'gold', environment: ['prd', 'stg'] }
  const first = await call('POST', '/v2/saved-views', { name: 'Failures', filter, columns: ['input'] })
  const { id, created_at: _, updated_at: __, ...rest } = first
  assert.deepEqual(rest, { name: 'Failures', list: 'traces', filter, columns: ['input'], is_default: false })
  const second = await call('POST', '/v2/saved-views', { name: 'Long', is_default: true })
  const page = await call('GET', '/v2/saved-views?limit=1&list=traces')
  const next = await call('GET', `/v2/saved-views?limit=1&cursor=${page.next_cursor}`)
  assert.deepEqual([...page.saved_views, ...next.saved_views], [first, second])
  assert.equal(next.next_cursor, undefined)
  const replaced = await call('PUT', `/v2/saved-views/${id}`, { name: 'Errors', is_default: true })
  assert.deepEqual([replaced.name, replaced.filter, replaced.is_default], ['Errors', {}, true])
  const { saved_views: views } = await call('GET', '/v2/saved-views')
  assert.deepEqual(
    views.map(({ name, is_default: isDefault }: Json) => [name, isDefault]),
    [
      ['Errors', true],
      ['Long', false],
    ],
  )
  const taken = await service.call('POST', '/v2/saved-views', { body: { name: 'Long' } })
  assertError(taken, 409, 'a saved view named Long already exists')
  const foreign = { key: stranger }
  assert.deepEqual((await service.call('GET', '/v2/saved-views', foreign)).json.saved_views, [])
  for (const method of ['PUT', 'DELETE'] as const) {
    const body = method === 'PUT' ? { body: { name: 'Mine' } } : {}
    assertError(
      await service.call(method, `/v2/saved-views/${id}`, { ...foreign, ...body }),
      404,
      'saved view not found',
    )
  }
  await call('DELETE', `/v2/saved-views/${id}`)
  assertError(await service.call('DELETE', `/v2/saved-views/${id}`), 404, 'saved view not found')
})

for (const [body, message] of [
  [{}, /name is required/],
  [{ name: '' }, /name is required/],
  [{ name: 'x'.repeat(101) }, /name must be at most 100 characters/],
  [{ name: 'x', list: 'setups' }, /list must be one of traces, sessions/],
  [{ name: 'x', filter: { status: 'fine' } }, /filter\.status must be one of ok, error/],
  [{ name: 'x', filter: { limit: '5' } }, /filter\.limit is no filter/],
  [{ name: 'x', filter: { q: 'x'.repeat(1_001) } }, /filter\.q must be at most 1000 characters/],
  [{ name: 'x', columns: [''] }, /columns\[0\] is required|columns\.0 is required/],
] as const) {
  test(`400 for the saved view ${JSON.stringify(body).slice(0, 60)}`, async () => {
    assertError(await service.call('POST', '/v2/saved-views', { body }), 400, message)
  })
}

test('200 restores a deleted setup with the same monitors and their results', async () => {
  const before = await call('GET', SETUP)
  const monitor = await monitorOf(service, 'talk', 'char-count')
  await call('DELETE', SETUP)
  assertError(await service.call('POST', `${SETUP}/restore`, { key: stranger }), 404, 'setup not found')
  const restored = await call('POST', `${SETUP}/restore`)
  const { updated_at: _, ...same } = before
  assert.deepEqual({ ...restored, updated_at: undefined }, { ...same, updated_at: undefined })
  assert.equal(await monitorOf(service, 'talk', 'char-count'), monitor)
  await sendSpans(service, [spanOf('After', 'the restore')])
  const results = await resultsOf(service, 'talk', 6)
  assert.equal(results.filter(({ monitor_id: id }: Json) => id === monitor).length, 3)
  const { version, status } = await call('GET', `/v2/monitors/${monitor}`)
  assert.deepEqual([version, status], [1, 'active'])
})

test('404 where nothing was deleted, and 409 where the external id is used again', async () => {
  assertError(await service.call('POST', `${SETUP}/restore`), 404, 'setup not found')
  await call('DELETE', SETUP)
  await createGroupSetup(service, 'talk', { evaluators: ['word-count'] })
  assertError(
    await service.call('POST', `${SETUP}/restore`),
    409,
    'external_id talk is used by another setup',
  )
})
