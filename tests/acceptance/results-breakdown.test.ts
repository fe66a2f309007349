import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, monitorOf, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
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

function spanOf(
  at: number,
  answer: string | undefined,
  attributes: Record<string, string>,
  startMs = START_MS,
) {
  return newSpan({
    startMs: startMs + at,
    ...(answer === undefined ? {} : { answer }),
    attributes: { [GROUP]: 'parts', ...attributes },
  })
}

await createGroupSetup(service, 'parts', { evaluators: ['json-validator'] })
const large = (at: number, answer?: string) => spanOf(at, answer, { 'gen_ai.request.model': 'large' })
await sendSpans(
  service,
  [
    ...[1, 2, 3].map((at) => large(at, '{}')),
    large(4, 'no json'),
    large(5),
    spanOf(6, '{}', { 'gen_ai.request.model': 'small', 'app.plan': 'free' }),
    spanOf(7, 'no json', { 'gen_ai.request.model': 'small', 'app.plan': 'paid' }),
    spanOf(8, '{}', {}),
    // Outside of the range.
    spanOf(-1, '{}', { 'gen_ai.request.model': 'large' }),
    spanOf(0, '{}', { 'gen_ai.request.model': 'large' }, START_MS + HOUR_MS),
  ],
  { resource: { 'service.name': 'shop', 'cloud.region': 'north' } },
)
await resultsOf(service, 'parts', 10)
const breakdown = `/v2/monitors/${await monitorOf(service, 'parts', 'json-validator')}/breakdown`

test('200 groups results by the model of their spans', async () => {
  const { monitor_id: _, ...told } = await get(`${breakdown}?by=model&${RANGE}`)
  assert.deepEqual(told, {
    ...{ version: 1, by: 'model', property: 'is_valid_json' },
    from: new Date(START_MS).toISOString(),
    to: new Date(START_MS + HOUR_MS).toISOString(),
    groups: [
      { value: 'large', count: 5, mean: 0.75, failed: 0, verdicts: { pass: 3, fail: 1 } },
      { value: 'small', count: 2, mean: 0.5, failed: 0, verdicts: { pass: 1, fail: 1 } },
      { value: null, count: 1, mean: 1, failed: 0, verdicts: { pass: 1, fail: 0 } },
    ],
    evaluations_sampled: 8,
    evaluations_total: 8,
  })
})

test('200 groups results by service, environment and any attribute', async () => {
  const valuesBy = async (by: string) => {
    const { groups } = await get(`${breakdown}?by=${by}&${RANGE}`)
    return groups.map(({ value, count }: Json) => [value, count])
  }
  assert.deepEqual(await valuesBy('service'), [['shop', 8]])
  assert.deepEqual(await valuesBy('environment'), [['prd', 8]])
  assert.deepEqual(await valuesBy('cloud.region'), [['north', 8]])
  const byPlan = await valuesBy('span_attributes.app.plan')
  assert.deepEqual(byPlan[0], [null, 6])
  assert.deepEqual(new Set(byPlan.slice(1).map(([value]: Json) => value)), new Set(['free', 'paid']))
  assert.deepEqual(await valuesBy('resource_attributes.app.plan'), [[null, 8]])
})

test('200 tells the rest of very many groups as one', async () => {
  await createGroupSetup(service, 'many', { evaluators: ['char-count'] })
  await sendSpans(
    service,
    Array.from({ length: 60 }, (_, at) =>
      newSpan({
        answer: 'x'.repeat(at + 1),
        startMs: START_MS,
        attributes: { [GROUP]: 'many', user: `${at}` },
      }),
    ),
  )
  await resultsOf(service, 'many', 60)
  const monitorId = await monitorOf(service, 'many', 'char-count')
  const { groups } = await get(`/v2/monitors/${monitorId}/breakdown?by=user&${RANGE}`)
  assert.equal(groups.length, 51)
  const { value, count, is_rest: isRest } = groups[50]
  assert.deepEqual([value, count, isRest], ['other', 10, true])
  assert.equal(groups[0].is_rest, undefined)
  const sum = groups.reduce((total: number, group: Json) => total + group.mean * group.count, 0)
  assert.equal(Math.round(sum), (60 * 61) / 2)
})

test('200 takes the newest results where there are very many, and says how many', async () => {
  await createGroupSetup(service, 'flood', { evaluators: ['char-count'] })
  let sent = 0
  for (const [answer, count, startMs] of [
    ['old', 600, START_MS],
    ['newer', 600, START_MS],
    // These are newer still, but their spans began before the range.
    ['before', 50, START_MS - HOUR_MS],
  ] as const) {
    const attributes = { [GROUP]: 'flood', age: answer }
    await sendSpans(
      service,
      Array.from({ length: count }, () => newSpan({ answer, startMs, attributes })),
    )
    sent += count
    await until(
      service,
      '/v2/monitors?external_id=flood',
      ({ monitors }) => (monitors[0]?.counts.scored ?? 0) >= sent,
    )
  }
  const monitorId = await monitorOf(service, 'flood', 'char-count')
  const told = await get(`/v2/monitors/${monitorId}/breakdown?by=age&${RANGE}`)
  assert.deepEqual(told.groups, [
    { value: 'newer', count: 600, mean: 5, failed: 0, verdicts: { pass: 0, fail: 0 } },
    { value: 'old', count: 400, mean: 3, failed: 0, verdicts: { pass: 0, fail: 0 } },
  ])
  assert.deepEqual([told.evaluations_sampled, told.evaluations_total], [1_000, 1_200])
})

test('400 and 404 name what is wrong with the question', async () => {
  assertError(await service.call('GET', breakdown), 400, 'invalid input: by is required')
  assertError(await service.call('GET', `${breakdown}?by=`), 400, 'invalid input: by is required')
  assertError(
    await service.call('GET', `${breakdown}?by=model&property=colour`),
    400,
    'invalid input: property must be one of is_valid_json',
  )
  const made = await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
  const key = made.json.environments[0].api_key
  assertError(await service.call('GET', `${breakdown}?by=model`, { key }), 404, 'monitor not found')
})
