import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { RAG_BOT, sendRagTraces } from '../support/rag-traces.ts'
import { startService } from '../support/service.ts'
import { chatSpan, eventually, idsOf, sendSpans } from '../support/spans.ts'
import { assertError, createSetup, SETUPS } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

const SUGGESTIONS = '/v2/suggestions'
const TRACES = 520
const model = await startFakeModel()
after(() => model.close())
const service = await startService({
  ASSAY_JUDGE_BASE_URL: model.url,
  ASSAY_JUDGE_API_KEY: 'sk-test',
  ASSAY_JUDGE_MODEL: 'gpt-4o-mini',
  ASSAY_SETUP_REST_MS: '0',
  ASSAY_TRACE_QUIET_MS: '1',
})

async function suggestions(query = ''): Promise<Json> {
  const answer = await service.call('GET', `${SUGGESTIONS}${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const bySlug = (application: Json, slug: string) =>
  application.suggestions.find((one: Json) => one.evaluator_type === slug)

test('200 suggests nothing before spans have arrived', async () => {
  assert.deepEqual(await suggestions(), {
    applications: [],
    spans_sampled: 0,
    sample_complete: true,
    backfill_traces: 500,
  })
})

test('200 recognizes an application, scores its own answers with free evaluators and asks no judge', async () => {
  for (let at = 0; at < TRACES; at += 130) await sendRagTraces(service, at, 130)
  await sendSpans(service, [chatSpan('sql', { completion: 'SELECT 1' })], {
    resource: { 'service.name': 'reports' },
  })
  const report = await suggestions()
  assert.deepEqual([report.spans_sampled, report.sample_complete], [1_000, false])
  const [bot, reports] = report.applications
  assert.equal(bot.sentence, 'We see a retrieval-augmented assistant.')
  assert.deepEqual([bot.service_name, bot.kind, bot.external_id], ['Refund bot', 'rag', 'refund-bot-quality'])
  assert.equal(bot.selector[0].value, 'Refund bot')
  assert.equal(reports.kind, 'sql')
  assert.equal(bySlug(reports, 'sql-validator').previews[0].verdict, 'pass')

  const pii = bySlug(bot, 'pii-detector')
  assert.deepEqual([pii.state, pii.scope, pii.previews.length], ['free', 'span', 3])
  assert.deepEqual([pii.previews[0].verdict, pii.previews[0].verdict_label], ['fail', 'Personal data found'])
  assert.match(pii.previews[0].answer, /^Write to jane\.doe\d+@example\.com\.$/)
  assert.match(pii.previews[0].question, /^How long does refund \d+ take\?$/)
  assert.ok(bot.suggestions.every((one: Json) => one.previews.length === 3))

  const faithfulness = bySlug(bot, 'faithfulness')
  assert.deepEqual([faithfulness.state, faithfulness.judge], ['judged', 'openai/gpt-4o-mini'])
  assert.equal(faithfulness.scope, 'trace', 'documents and answer lie on different spans')
  assert.ok(faithfulness.backfill_cost_usd > 0 && faithfulness.cost_per_day_usd > 0)
  assert.match(faithfulness.previews[0].input.context, /takes \d+ days/)
  assert.ok(!('verdict' in faithfulness.previews[0]))
  assert.equal(model.requests.length, 0, 'no judge is asked')
  const states = bot.suggestions.map((one: Json) => one.state)
  assert.deepEqual(
    states,
    states.toSorted((a: string, b: string) => (a === b ? 0 : a === 'free' ? -1 : 1)),
  )
  assert.equal((await suggestions('?limit=1')).applications.length, 1)
})

test('400 names the limit; another project sees nothing of these traces', async () => {
  assertError(await service.call('GET', `${SUGGESTIONS}?limit=6`), 400, /limit/)
  const made = await service.call('POST', '/v2/projects', { body: { name: 'Other', slug: 'other' } })
  assert.equal(made.status, 201, made.text)
  const created = await service.call('POST', '/v2/api-keys', {
    body: { name: 'other', project_id: made.json.id, scopes: ['read'] },
  })
  assert.equal(created.status, 201, created.text)
  const { json } = await service.call('GET', SUGGESTIONS, { key: created.json.api_key })
  assert.deepEqual(json.applications, [])
})

test('201 an accepted suggestion scores exactly the last 500 traces, and is not suggested again', async () => {
  const [bot] = (await suggestions()).applications
  const { evaluator_type: slug, config } = bySlug(bot, 'pii-detector')
  await createSetup(service, {
    external_id: bot.external_id,
    selector: bot.selector,
    evaluators: [slug, 'word-count'],
    evaluator_configs: [config, { slug: 'word-count', scope: 'trace' }],
  })
  const body = { limit: 500, limit_by: 'traces' }
  const started = await service.call('POST', `${SETUPS}/${bot.external_id}/backfill`, { body })
  assert.equal(started.status, 201, started.text)
  assert.equal(started.json.limit_by, 'traces')
  const job = await eventually(async () => {
    const { json } = await service.call('GET', `/v2/jobs/${started.json.id}`)
    return ['queued', 'running'].includes(json.state) ? undefined : json
  }, 'the job ends')
  assert.deepEqual([job.state, job.progress.taken, job.limit_reached], ['done', 500, true])
  const monitors = await eventually(async () => {
    const { json } = await service.call('GET', `/v2/monitors?external_id=${bot.external_id}`)
    const isDone = json.monitors.every((one: Json) => one.counts.scored >= 500)
    return json.monitors.length === 2 && isDone ? json.monitors : undefined
  }, 'everything is scored, traces as a whole too')
  for (const monitor of monitors) assert.deepEqual(monitor.counts, { scored: 500 }, monitor.evaluator_type)

  const [again] = (await suggestions()).applications
  assert.deepEqual(again.setups, [bot.external_id])
  assert.equal(again.external_id, 'refund-bot-quality-2')
  assert.ok(!again.suggestions.some((one: Json) => one.evaluator_type === 'pii-detector'))
})

test('200 a dry run offers changes that work, and confirms them', async () => {
  const body = {
    external_id: 'fixable',
    selector: { 'service.name': 'Refund bot' },
    evaluators: ['faithfulness'],
    evaluator_configs: [{ slug: 'faithfulness', scope: 'span' }],
  }
  const dryRun = async (configs: Json) => {
    const answer = await service.call('POST', `${SETUPS}/dry-run`, {
      body: { ...body, evaluator_configs: configs },
    })
    return answer.json.evaluators[0]
  }
  const stuck = await dryRun(body.evaluator_configs)
  assert.ok(stuck.error_message)
  const [fix] = stuck.fixes
  assert.equal(fix.label, 'Take context from the retrieval span')
  assert.deepEqual(fix.change, { slug: 'faithfulness', scope: 'trace' })
  const fixed = await dryRun([fix.change])
  assert.ok(!('error_message' in fixed) && !('fixes' in fixed))
})

test('201 a backfill of one trace leaves the others alone', async () => {
  const { trace_id } = idsOf('rag 7')
  const body = { external_id: 'one', selector: { 'service.name': RAG_BOT }, evaluators: ['char-count'] }
  await createSetup(service, body)
  assertError(
    await service.call('POST', `${SETUPS}/one/backfill`, { body: { trace_id: 'x' } }),
    400,
    /trace_id/,
  )
  const started = await service.call('POST', `${SETUPS}/one/backfill`, { body: { trace_id } })
  assert.deepEqual([started.status, started.json.trace_id], [201, trace_id])
  const evaluations = await eventually(async () => {
    const { json } = await service.call('GET', `/v2/jobs/${started.json.id}`)
    const found = await service.call('GET', '/v2/evaluations?external_id=one')
    return json.state === 'done' && found.json.evaluations
  }, 'the job ends')
  assert.deepEqual(
    evaluations.map((one: Json) => one.trace_id),
    [trace_id],
  )
})
