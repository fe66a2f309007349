import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, monitorOf, newSpan, resultsOf, sendSpans } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()
const HOUR_MS = 3_600_000
const START_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS
const RANGE = `from=${START_MS / 1_000}&to=${START_MS / 1_000 + 3_600}`

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

async function get(path: string): Promise<Json> {
  const answer = await service.call('GET', path)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

// Lengths from 1 to 100, every fifth of them valid JSON, and one span outside of the range.
const answers = Array.from({ length: 100 }, (_, at) => (at % 5 === 0 ? '1' : 'x').repeat(at + 1))
await createGroupSetup(service, 'spread', { evaluators: ['char-count', 'json-validator'] })
await sendSpans(service, [
  ...answers.map((answer, at) =>
    newSpan({ answer, startMs: START_MS + at * 30_000, attributes: { [GROUP]: 'spread' } }),
  ),
  newSpan({ answer: 'outside', startMs: START_MS - 1, attributes: { [GROUP]: 'spread' } }),
])
await resultsOf(service, 'spread', 202)
const counting = `/v2/monitors/${await monitorOf(service, 'spread', 'char-count')}/distribution`
const validating = `/v2/monitors/${await monitorOf(service, 'spread', 'json-validator')}/distribution`

test('200 tells how numbers are spread', async () => {
  const { bins, p50, p95, monitor_id: _, ...told } = await get(`${counting}?${RANGE}`)
  assert.deepEqual(told, {
    ...{ version: 1, property: 'char_count', kind: 'number', labels: [], count: 100, mean: 50.5 },
    from: new Date(START_MS).toISOString(),
    to: new Date(START_MS + HOUR_MS).toISOString(),
  })
  assert.ok(Math.abs(p50 - 50.5) <= 0.51 && Math.abs(p95 - 95.05) <= 0.96, `${p50} ${p95}`)
  assert.equal(bins.length, 20)
  assert.deepEqual(bins[0], { from: 1, to: 6, count: 5 })
  assert.deepEqual([bins.at(-1).from, bins.at(-1).to], [96, 101])
  assert.equal(
    bins.reduce((sum: number, { count }: Json) => sum + count, 0),
    100,
  )
})

test('200 tells how often a boolean is true', async () => {
  const { monitor_id: _, from: __, to: ___, ...told } = await get(`${validating}?${RANGE}`)
  assert.deepEqual(told, {
    ...{ version: 1, property: 'is_valid_json', kind: 'boolean', bins: [], count: 100 },
    labels: [
      { label: 'false', count: 80 },
      { label: 'true', count: 20 },
    ],
    ...{ mean: 0.2, p50: null, p95: null },
  })
})

test('200 tells nothing of a version that does not exist and of a time without values', async () => {
  for (const query of [
    `${RANGE}&version=2`,
    `from=${START_MS / 1_000 - 90_000}&to=${START_MS / 1_000 - 86_400}`,
  ]) {
    const { count, mean, p50, bins } = await get(`${counting}?${query}`)
    assert.deepEqual({ count, mean, p50, bins }, { count: 0, mean: null, p50: null, bins: [] })
  }
})

test('400 and 404 name what is wrong with the question', async () => {
  assertError(
    await service.call('GET', `${counting}?property=colour`),
    400,
    'invalid input: property must be one of char_count',
  )
  assertError(
    await service.call('GET', `${counting}?from=5&to=4`),
    400,
    'invalid input: from must be before to',
  )
  const made = await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
  const key = made.json.environments[0].api_key
  assertError(await service.call('GET', counting, { key }), 404, 'monitor not found')
  assertError(await service.call('GET', '/v2/monitors/nobody/distribution'), 404, 'monitor not found')
})
