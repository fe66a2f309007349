import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { startService, type TestService } from '../support/service.ts'
import { eventually } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { createGroupSetup, GROUP, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
import { assertError, createSetup, setupPath } from './setup-calls.ts'

const model = await startFakeModel()
after(() => model.close())
const prices = path.join(temporaryDirectory(), 'prices.json')
writeFileSync(prices, JSON.stringify({ 'openai/gpt-4o': { input: 1, output: 1 } }))
const env = {
  ASSAY_SETUP_REST_MS: '0',
  ASSAY_JUDGE_PRICES: prices,
  ASSAY_JUDGE_BASE_URL: model.url,
  ASSAY_JUDGE_API_KEY: 'sk-test',
}
const service = await startService(env)

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

const RERUN = '/v2/evaluations/rerun'
const ENDED = ['done', 'cancelled', 'failed']

async function startJob(path: string, body: object = {}, on: TestService = service): Promise<Json> {
  const answer = await on.call('POST', path, { body })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

/** Starts a job and waits for its end. */
async function runJob(path: string, body: object = {}, on: TestService = service): Promise<Json> {
  const { id } = await startJob(path, body, on)
  return until(on, `/v2/jobs/${id}`, ({ state }) => ENDED.includes(state))
}

function generationsOf(results: readonly Json[]): Promise<number[]> {
  return Promise.all(
    results.map(async ({ id }) => (await until(service, `/v2/evaluations/${id}`, () => true)).generation),
  )
}

/** A judged evaluator of the name `politeness`. */
async function createPoliteness(on: TestService): Promise<void> {
  const answer = await on.call('POST', '/v2/evaluators', {
    body: {
      ...{ name: 'Politeness', slug: 'politeness', provider: 'openai', model: 'gpt-4o' },
      messages: [{ role: 'user', content: 'Is this polite?\n{{completion}}' }],
      input_schema: [{ name: 'completion', type: 'string' }],
      output_schema: [{ name: 'is_polite', type: 'boolean' }],
    },
  })
  assert.equal(answer.status, 200, answer.text)
}

function spansOf(group: string, count: number, answer?: string) {
  return Array.from({ length: count }, () =>
    newSpan({ ...(answer === undefined ? {} : { answer }), attributes: { [GROUP]: group } }),
  )
}

test('201 a backfill binds a setup on spans that came before it and evaluates each of them once', async () => {
  await sendSpans(service, spansOf('history', 3, 'abc'))
  await sendSpans(service, [...spansOf('history', 2, 'abcde'), ...spansOf('else', 2, 'x')])
  await createGroupSetup(service, 'history', { evaluators: ['char-count', 'word-count'] })
  const started = await startJob(`${setupPath('history')}/backfill`)
  assert.deepEqual(
    [started.kind, started.external_id, started.state, started.limit, started.sampling_rate],
    ['backfill', 'history', 'queued', 10_000, 1],
  )
  const job = await until(service, `/v2/jobs/${started.id}`, ({ state }) => ENDED.includes(state))
  assert.equal(job.state, 'done', JSON.stringify(job))
  assert.ok(Date.parse(job.finished_at) >= Date.parse(job.created_at))
  const { looked_at: lookedAt, ...progress } = job.progress
  const expected = { matched: 5, taken: 5, queued: 10, evaluated: 10, sampled_out: 0, skipped: 0 }
  assert.deepEqual(progress, expected)
  assert.ok(lookedAt >= 7)
  const results = await resultsOf(service, 'history', 10)
  const counts = results
    .filter((each: Json) => each.evaluator_type === 'char-count')
    .map((each: Json) => each.output.char_count)
  assert.deepEqual(counts.toSorted(), [3, 3, 3, 5, 5])
  assert.deepEqual(new Set(await generationsOf(results)), new Set([1]))

  const again = await runJob(`${setupPath('history')}/backfill`)
  assert.deepEqual([again.state, again.progress.matched, again.progress.queued], ['done', 5, 0])
  await resultsOf(service, 'history', 10)
})

test('201 a backfill keeps to its window, its limit and its share of traces', async () => {
  await createGroupSetup(service, 'bounded', { evaluators: ['char-count'] })
  await sendSpans(service, spansOf('bounded', 1, 'binds'))
  await resultsOf(service, 'bounded', 1)
  await sendSpans(service, spansOf('later', 4, 'abc'))
  const answer = await service.call('PUT', setupPath('bounded'), { body: { selector: { [GROUP]: 'later' } } })
  assert.equal(answer.status, 200, answer.text)
  await sendSpans(service, spansOf('later', 1, 'live'))
  await resultsOf(service, 'bounded', 2)
  const path = `${setupPath('bounded')}/backfill`
  const past = await runJob(path, { window: { to: '2020-01-01T00:00:00Z' } })
  assert.deepEqual([past.state, past.progress.looked_at], ['done', 0])
  assert.deepEqual(past.window, { to: '2020-01-01T00:00:00.000Z' })
  const none = await runJob(path, { sampling_rate: 0 })
  assert.deepEqual([none.state, none.progress.matched, none.progress.queued], ['done', 0, 0])
  const some = await runJob(path, { limit: 3 })
  assert.deepEqual([some.state, some.limit_reached, some.progress.evaluated], ['done', true, 3])
  const rest = await runJob(path, { window: { from: '2020-01-01T00:00:00Z' } })
  assert.deepEqual([rest.state, rest.limit_reached, rest.progress.evaluated], ['done', false, 1])
  await resultsOf(service, 'bounded', 6)
})

test('201 a rerun supersedes what a judge had answered badly; charts and counts show the newest', async () => {
  await createPoliteness(service)
  await createGroupSetup(service, 'judged', { evaluators: ['politeness'] })
  model.script({ content: 'no verdict', times: 2 })
  await sendSpans(service, spansOf('judged', 1, 'Hello!'))
  const [failed] = await resultsOf(service, 'judged', 1)
  assert.equal(failed.status, 'unparseable', JSON.stringify(failed))
  const job = await runJob(RERUN, { filter: { external_id: 'judged', status: ['unparseable'] } })
  assert.deepEqual([job.state, job.kind, job.progress.evaluated], ['done', 'rerun', 1])
  assert.deepEqual(job.filter, { status: ['unparseable'] })
  const [current] = await resultsOf(service, 'judged', 1)
  assert.equal(current.status, 'scored')
  const { evaluations } = await until(service, '/v2/evaluations?external_id=judged&history=true', () => true)
  assert.deepEqual(
    evaluations.map(({ id, status }: Json) => [id, status]),
    [
      [current.id, 'scored'],
      [failed.id, 'superseded'],
    ],
  )
  assert.deepEqual(await generationsOf(evaluations), [2, 1])
  const { monitors } = await until(service, '/v2/monitors?external_id=judged', () => true)
  assert.deepEqual(monitors[0].counts, { scored: 1 })
  const empty = await runJob(RERUN, { filter: { external_id: 'judged' } })
  assert.deepEqual([empty.state, empty.progress.matched], ['done', 0], 'without a status: what gave no score')
})

test('201 a backfill spends no more than the budget, and a rerun makes up for it when there is more', async () => {
  const frugal = await startService(env)
  await createPoliteness(frugal)
  await sendSpans(frugal, spansOf('frugal', 3, 'Thank you.'))
  await createGroupSetup(frugal, 'frugal', { evaluators: ['politeness'] })
  const setBudget = async (usd: number) => {
    const answer = await frugal.call('PUT', '/v2/budgets', { body: { external_id: 'frugal', day_usd: usd } })
    assert.equal(answer.status, 200, answer.text)
  }
  const statuses = async () =>
    new Set((await resultsOf(frugal, 'frugal', 3)).map(({ status }: Json) => status))
  await setBudget(0)
  const asked = model.requests.length
  const job = await runJob(`${setupPath('frugal')}/backfill`, {}, frugal)
  assert.deepEqual([job.state, job.progress.evaluated], ['done', 3], JSON.stringify(job))
  assert.deepEqual(await statuses(), new Set(['over_budget']))
  assert.equal(model.requests.length, asked)
  await setBudget(100)
  // A new budget takes effect after a few seconds.
  await eventually(async () => {
    const again = await runJob(RERUN, { filter: { status: ['over_budget'] } }, frugal)
    assert.equal(again.state, 'done', JSON.stringify(again))
    return !(await statuses()).has('over_budget')
  }, 'the new budget pays')
  assert.deepEqual(await statuses(), new Set(['scored']))
})

test('201 a rerun of one evaluator and version makes one more generation of each', async () => {
  await createGroupSetup(service, 'again', { evaluators: ['char-count', 'word-count'] })
  await sendSpans(service, spansOf('again', 3, 'one two'))
  await resultsOf(service, 'again', 6)
  const filter = { external_id: 'again', evaluator_type: 'word-count', status: ['scored'] }
  const job = await runJob(RERUN, { filter: { ...filter, evaluator_version: 1 } })
  assert.deepEqual([job.state, job.progress.evaluated], ['done', 3])
  const results = await resultsOf(service, 'again', 6)
  for (const [slug, generation] of [
    ['char-count', 1],
    ['word-count', 2],
  ]) {
    const own = results.filter((each: Json) => each.evaluator_type === slug)
    assert.deepEqual(await generationsOf(own), [generation, generation, generation])
  }
  const other = await runJob(RERUN, { filter: { ...filter, evaluator_version: 99 } })
  assert.equal(other.progress.matched, 0)
})

test('200 lists jobs newest first in pages, and cancels one', async () => {
  await createSetup(service, { external_id: 'pages', selector: { [GROUP]: 'pages' } })
  for (let at = 0; at < 3; at++) await runJob(RERUN, { filter: { external_id: `nothing ${at}` } })
  const first = await until(service, '/v2/jobs?limit=2', () => true)
  assert.equal(first.jobs.length, 2)
  assert.equal(first.jobs[0].external_id, 'nothing 2')
  const second = await until(service, `/v2/jobs?limit=2&cursor=${first.next_cursor}`, () => true)
  assert.equal(second.jobs[0].external_id, 'nothing 0')
  const ended = second.jobs[0]
  const cancelled = await service.call('POST', `/v2/jobs/${ended.id}/cancel`)
  assert.deepEqual([cancelled.status, cancelled.json], [200, ended], 'what has ended stays as it is')
})

test('200 a cancelled job stops, and what it had queued is not evaluated', async () => {
  // Setups rest, so that a backfill waits for its setup to be bound.
  const resting = await startService({ ASSAY_SETUP_REST_MS: '600000' })
  await sendSpans(resting, spansOf('resting', 2, 'abc'))
  await createGroupSetup(resting, 'resting', { evaluators: ['char-count'] })
  const { id } = await startJob(`${setupPath('resting')}/backfill`, {}, resting)
  const answer = await resting.call('POST', `/v2/jobs/${id}/cancel`)
  assert.deepEqual([answer.status, answer.json.state], [200, 'cancelled'])
  assert.ok(answer.json.finished_at)
  const { jobs } = (await resting.call('GET', '/v2/jobs')).json
  assert.deepEqual(
    jobs.map((job: Json) => job.state),
    ['cancelled'],
  )
})

test('429 when too many jobs of a project are under way', async () => {
  const resting = await startService({ ASSAY_SETUP_REST_MS: '600000' })
  await createSetup(resting, { external_id: 'many' })
  for (let at = 0; at < 20; at++) await startJob(`${setupPath('many')}/backfill`, {}, resting)
  assertError(await resting.call('POST', RERUN, { body: {} }), 429, /20 jobs of the project are under way/)
})

test('400 names the field of a bad job', async () => {
  await createSetup(service, { external_id: 'strict' })
  const path = `${setupPath('strict')}/backfill`
  for (const [at, body, message] of [
    [path, { limit: 0 }, /limit/],
    [path, { sampling_rate: 2 }, /sampling_rate/],
    [path, { window: { from: 'yesterday' } }, /window\.from/],
    [path, { window: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } }, /window\.from/],
    [path, { windows: {} }, /windows/],
    [RERUN, { filter: { status: ['superseded'] } }, /filter\.status/],
    [RERUN, { filter: { status: [] } }, /filter\.status/],
    [RERUN, { filter: { stauts: ['error'] } }, /stauts/],
    [RERUN, { filter: { trace_id: 'xyz' } }, /filter\.trace_id/],
    [RERUN, { filter: { evaluator_version: '1' } }, /filter\.evaluator_version/],
    [RERUN, { limit: 1.5 }, /limit/],
  ] as const) {
    assertError(await service.call('POST', at, { body }), 400, message)
  }
})

test('404 for setups and jobs that the project does not have, 403 without the scope', async () => {
  const unknown = '/v2/jobs/00000000-0000-7000-8000-000000000000'
  assertError(await service.call('POST', `${setupPath('nowhere')}/backfill`, { body: {} }), 404)
  assertError(await service.call('GET', unknown), 404, /job not found/)
  assertError(await service.call('POST', `${unknown}/cancel`), 404, /job not found/)
  const organization = await service.call('POST', '/v2/organizations', {
    body: { org_name: 'Other', envs: ['prd'] },
  })
  assert.equal(organization.status, 201, organization.text)
  const [{ api_key: key }] = organization.json.environments
  const { id } = await startJob(RERUN, { filter: { external_id: 'mine' } })
  assertError(await service.call('GET', `/v2/jobs/${id}`, { key }), 404)
  assertError(await service.call('POST', `/v2/jobs/${id}/cancel`, { key }), 404)
  assert.deepEqual((await service.call('GET', '/v2/jobs', { key })).json, { jobs: [] })
  assertError(await service.call('POST', `${setupPath('strict')}/backfill`, { body: {}, key }), 404)
  const reader = await service.call('POST', '/v2/api-keys', { body: { name: 'reader', scopes: ['read'] } })
  const asReader = { key: reader.json.api_key }
  assert.equal((await service.call('GET', `/v2/jobs/${id}`, asReader)).status, 200)
  for (const path of [RERUN, `/v2/jobs/${id}/cancel`, `${setupPath('strict')}/backfill`]) {
    assertError(await service.call('POST', path, { body: {}, ...asReader }), 403)
  }
})
