import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Three hours ago, at the full hour. */
const START_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS
/** The hour after the start, compared with the hour before it. */
const HOUR = `from=${START_MS / 1_000}&to=${(START_MS + HOUR_MS) / 1_000}`

const SETUP_KINDS = ['setup_failed', 'setup_partial', 'setup_waiting']

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

async function overview(query = ''): Promise<Json> {
  const answer = await service.call('GET', `/v2/overview?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

function spansAt(group: string, startMs: number, answers: readonly (string | undefined)[]) {
  return answers.map((answer, at) =>
    newSpan({
      startMs: startMs + at,
      ...(answer === undefined ? {} : { answer }),
      attributes: { [GROUP]: group },
    }),
  )
}

const repeat = (count: number, answer?: string) => Array.from({ length: count }, () => answer)

test('200 tells a project in which nothing was done yet', async () => {
  const before = Date.now()
  const { from, to, ...rest } = await overview()
  assert.ok(Date.parse(to) - Date.parse(from) >= 24 * HOUR_MS)
  assert.ok(Date.parse(to) >= before - 1_000)
  assert.deepEqual(rest, {
    monitors: [],
    totals: { evaluations: 0, failed: 0, lag_in_spans: 0, lag_seconds: null },
    attention: [],
    judge_spend: {
      today_usd: 0,
      day_budget_usd: null,
      month_usd: 0,
      month_budget_usd: null,
      unpriced_calls: 0,
    },
  })
})

test('200 tells how monitors fare, those first that something is the matter with', async () => {
  await createGroupSetup(service, 'steady', { evaluators: ['word-count'] })
  await createGroupSetup(service, 'worse', { evaluators: ['json-validator'] })
  await sendSpans(service, [
    ...spansAt('steady', START_MS - MINUTE_MS, repeat(40, 'two words')),
    ...spansAt('steady', START_MS, repeat(60, 'two words')),
    ...spansAt('worse', START_MS - HOUR_MS, repeat(40, '{}')),
    ...spansAt('worse', START_MS + 30 * MINUTE_MS, repeat(20, '{}')),
    ...spansAt('worse', START_MS + 45 * MINUTE_MS, [...repeat(20, 'no json'), undefined]),
  ])
  await resultsOf(service, 'steady', 100)
  await resultsOf(service, 'worse', 81)
  const { from, to, monitors, totals, attention } = await overview(`${HOUR}&buckets=4`)
  assert.equal(Date.parse(from), START_MS)
  assert.equal(Date.parse(to), START_MS + HOUR_MS)
  const [worse, steady, ...others] = monitors
  assert.deepEqual(others, [])
  const { id, points, ...told } = worse
  assert.deepEqual(told, {
    external_id: 'worse',
    evaluator_type: 'json-validator',
    scope: 'span',
    status: 'active',
    property: 'is_valid_json',
    counts: { scored: 40, failed: 0, other: 1 },
    mean: 0.5,
    previous_mean: 1,
    is_share: true,
    better: 'higher',
  })
  const at = (quarter: number) => new Date(START_MS + quarter * 15 * MINUTE_MS).toISOString()
  assert.deepEqual(points, [
    { at: at(0), value: null, count: 0 },
    { at: at(1), value: null, count: 0 },
    { at: at(2), value: 1, count: 20 },
    { at: at(3), value: 0, count: 20 },
  ])
  assert.deepEqual(
    [steady.external_id, steady.mean, steady.previous_mean, steady.is_share, steady.counts.scored],
    ['steady', 2, 2, false, 60],
  )
  assert.deepEqual(totals, { evaluations: 101, failed: 0, lag_in_spans: 0, lag_seconds: 0 })
  const [dropped, ...more] = attention
  assert.deepEqual(more, [])
  assert.deepEqual(
    [dropped.severity, dropped.kind, dropped.external_id, dropped.monitor_id],
    ['warning', 'score_dropped', 'worse', id],
  )
  assert.match(
    dropped.message,
    /^json-validator: the share of is_valid_json is 0\.5 \(n = 40\), was 1 \(n = 40\) in the previous period$/,
  )
})

test('200 says nothing of a fall of too few units', async () => {
  const quarter = `from=${START_MS / 1_000 + 2_700}&to=${(START_MS + HOUR_MS) / 1_000}`
  const { monitors, attention } = await overview(quarter)
  const worse = monitors.find(({ external_id: externalId }: Json) => externalId === 'worse')
  assert.deepEqual([worse.mean, worse.previous_mean, worse.counts.scored], [0, 1, 20])
  assert.deepEqual(attention, [])
})

test('200 tells failing monitors, setups that do not run and spent budgets, the worst first', async () => {
  await createGroupSetup(service, 'failed', { evaluators: ['html-comparison'] })
  await createGroupSetup(service, 'partial', { evaluators: ['char-count', 'html-comparison'] })
  await createGroupSetup(service, 'waiting', { evaluators: ['char-count'] })
  await createGroupSetup(service, 'missing', { evaluators: ['char-count'] })
  await sendSpans(service, [
    ...spansAt('failed', START_MS, ['text']),
    ...spansAt('partial', START_MS, ['text']),
    ...spansAt('missing', START_MS, ['text', ...repeat(30)]),
  ])
  await resultsOf(service, 'missing', 31)
  const budget = await service.call('PUT', '/v2/budgets', { body: { day_usd: 0, month_usd: 5 } })
  assert.equal(budget.status, 200, budget.text)
  const {
    attention,
    monitors,
    judge_spend: spend,
  } = await until(service, `/v2/overview?${HOUR}`, (json) =>
    SETUP_KINDS.every((kind) => json.attention.filter((one: Json) => one.kind === kind).length === 1),
  )
  const summary = attention.map((one: Json) => [one.severity, one.kind, one.external_id])
  assert.deepEqual(summary, [
    ['error', 'setup_failed', 'failed'],
    ['error', 'budget', undefined],
    ['warning', 'evaluations_failing', 'missing'],
    ['warning', 'score_dropped', 'worse'],
    ['warning', 'setup_partial', 'partial'],
    ['info', 'setup_waiting', 'waiting'],
  ])
  assert.match(attention[0].message, /^no evaluator runs: html-comparison: /)
  assert.equal(
    attention[1].message,
    'the judge budget of the day is spent, nothing more is judged: 0 of 0 USD',
  )
  assert.equal(attention[2].message, '30 of 31 units do not carry an input that the monitor needs')
  assert.match(attention[4].message, /^1 of 2 evaluators do not run: html-comparison: /)
  assert.deepEqual([spend.day_budget_usd, spend.month_budget_usd], [0, 5])
  assert.deepEqual(
    monitors.slice(0, 2).map(({ external_id: externalId }: Json) => externalId),
    ['missing', 'worse'],
  )
})

test('200 shows nothing to another organization', async () => {
  const made = await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
  const key = made.json.environments[0].api_key
  const { json } = await service.call('GET', `/v2/overview?${HOUR}`, { key })
  assert.deepEqual([json.monitors, json.attention, json.totals.evaluations], [[], [], 0])
  assert.equal(json.judge_spend.month_budget_usd, null)
})

test('400 names a bad parameter of the overview', async () => {
  const call = (query: string) => service.call('GET', `/v2/overview?${query}`)
  assertError(await call('buckets=0'), 400, 'invalid input: buckets must be an integer from 1 to 300')
  assertError(await call('from=5&to=5'), 400, 'invalid input: from must be before to')
  assertError(await call('from=1'), 400, 'invalid input: from must be at most 31 days before to')
})
