import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, newSpan, resultsOf, sendSpans } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()
const EXPORT = '/v2/evaluations/export'

const spans = ['one', 'three words here', undefined].map((answer) =>
  newSpan({
    ...(answer === undefined ? {} : { answer }),
    attributes: { [GROUP]: 'talk', 'gen_ai.conversation.id': '=1+1,"x"' },
  }),
)
await createGroupSetup(service, 'talk', { evaluators: ['char-count', 'json-validator'] })
await sendSpans(service, spans)
await resultsOf(service, 'talk', 6)

async function fetchExport(query: string, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(`${service.url}${EXPORT}${query}`, {
    headers: { authorization: `Bearer ${FIRST_KEY}`, 'accept-encoding': 'identity', ...headers },
  })
  assert.equal(answer.status, 200)
  return answer
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

test('200 exports exactly what the list shows, as JSON lines', async () => {
  const { json } = await service.call('GET', '/v2/evaluations?limit=1000')
  const answer = await fetchExport('')
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson')
  assert.deepEqual(linesOf(await answer.text()), json.evaluations)
})

test('200 takes the filters of the list', async () => {
  for (const filter of [
    'status=missing_input',
    'evaluator_type=char-count',
    'min_value=5',
    'external_id=none',
  ]) {
    const { json } = await service.call('GET', `/v2/evaluations?limit=1000&${filter}`)
    assert.deepEqual(linesOf(await (await fetchExport(`?${filter}`)).text()), json.evaluations, filter)
  }
})

test('200 exports CSV with a header, quoted, and with no formula in it', async () => {
  const answer = await fetchExport('?format=csv&evaluator_type=char-count')
  assert.match(answer.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/)
  const [head, ...rows] = (await answer.text()).split('\r\n')
  assert.equal(
    head,
    'id,external_id,monitor_id,evaluator_type,scope,trace_id,span_id,session_id,application,status,output,verdict,verdict_label,error_message,judge,created_at',
  )
  assert.equal(rows.length, 4)
  assert.equal(rows[3], '')
  for (const row of rows.slice(0, 3)) assert.ok(row.includes(`,"'=1+1,""x""",`), row)
  assert.ok(rows.some((row) => row.includes(',scored,"{""char_count"":16}",neutral,,,')))
})

test('200 is compressed when that is asked for', async () => {
  const plain = await (await fetchExport('')).text()
  const answer = await fetchExport('', { 'accept-encoding': 'br, gzip;q=0.5' })
  assert.equal(answer.headers.get('content-encoding'), 'gzip')
  assert.equal(await answer.text(), plain)
  const refused = await fetchExport('', { 'accept-encoding': 'gzip;q=0' })
  assert.equal(refused.headers.get('content-encoding'), null)
})

test('200 goes over many pages and misses nothing', async () => {
  const rows = Array.from({ length: 3_000 }, (_, at) => {
    const bytes = (length: number) => service.store.literal(randomBytes(length).toString('hex'))
    return `SELECT ${bytes(16)} AS trace_id, ${bytes(8)} AS span_id, ${at + 1} AS n`
  })
  for (let at = 0; at < rows.length; at += 300) {
    await service.store.run(
      `INSERT INTO evaluations (project_number, monitor_version, trace_id, span_id, status, value, output, batch_id,
                                ordinal, unit_at_ms, duration_us, created_at_ms)
       SELECT e.project_number, e.monitor_version, r.trace_id, r.span_id, 'scored', r.n, '{"char_count":1}',
              e.batch_id, r.n, 0, 0, e.created_at_ms + 1
       FROM (${rows.slice(at, at + 300).join(' UNION ALL ')}) r,
            (SELECT * FROM evaluations ORDER BY number DESC LIMIT 1) e`,
    )
  }
  const found = linesOf(await (await fetchExport('')).text())
  assert.equal(found.length, 3_006)
  assert.equal(new Set(found.map(({ id }) => id)).size, 3_006)
  const ids = found.map(({ id }) => id)
  assert.deepEqual(ids, ids.toSorted().reverse())
})

test('400 names a format that is none and an empty range', async () => {
  assertError(await service.call('GET', `${EXPORT}?format=xml`), 400, /format/)
  assertError(await service.call('GET', `${EXPORT}?from=20&to=10`), 400, /from/)
})

test('401, 403 and an empty answer keep results from those who may not read them', async () => {
  assertError(await service.call('GET', EXPORT, { key: 'nobody-0123456789abcdef' }), 401)
  const { json: projects } = await service.call('GET', '/v2/projects')
  const { json: sender } = await service.call('POST', '/v2/api-keys', {
    body: { project_id: projects.projects[0].id, scopes: ['ingest', 'write'] },
  })
  assertError(await service.call('GET', EXPORT, { key: sender.api_key }), 403, /read/)
  const { json: other } = await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
  const key = other.environments[0].api_key
  assert.equal(await (await fetchExport('', { authorization: `Bearer ${key}` })).text(), '')
})
