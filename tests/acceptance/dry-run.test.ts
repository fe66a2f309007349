import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { FIRST_KEY } from '../support/call.ts'
import { startRestingService, startService, type TestService } from '../support/service.ts'
import { chatSpan, eventually, idsOf, sendSpans, untilStatus } from '../support/spans.ts'
import { assertError, createSetup, readSetup, SETUPS } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

const DRY_RUN = `${SETUPS}/dry-run`
const service = await startRestingService()

async function dryRun(body: object, where: TestService = service, key = FIRST_KEY): Promise<Json> {
  const answer = await where.call('POST', DRY_RUN, { body, key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const span = (name: string, attributes = {}, texts = {}) =>
  chatSpan(name, { ...texts, attributes: { 'test.name': name, ...attributes } })
const groupOf = (...values: string[]) => [
  { key: 'test.group', source: 'span_attributes', operator: 'in', values },
]
const ids = (...names: string[]) => names.map(idsOf)
const bySpan = (left: Json, right: Json) => (left.span_id < right.span_id ? -1 : 1)

await sendSpans(service, [
  span('a1', { 'test.group': 'a' }),
  span('a2', { 'test.group': 'a' }),
  span('b1', { 'test.group': 'b' }),
  span('other'),
])
await sendSpans(service, [span('c1', { 'test.group': 'c' })])

test('200 counts the stored spans that a new setup would match, and stores nothing', async () => {
  const report = await dryRun({ external_id: 'new', evaluators: ['char-count'], selector: groupOf('a') })
  assert.equal(report.external_id, 'new')
  assert.equal(report.matched, 2)
  assert.equal(report.matched_traces, 2)
  assert.deepEqual([report.looked.spans, report.looked.batches, report.looked.complete], [5, 2, true])
  assert.deepEqual(report.examples.toSorted(bySpan), ids('a1', 'a2').toSorted(bySpan))
  assert.equal(report.matched_per_day, 48, 'two in an hour')
  assert.ok(!('gained' in report) && !('current_version' in report))
  assert.equal((await service.call('GET', `${SETUPS}/new`)).status, 404)
})

test('200 tells what is gained and lost against the stored setup, which stays as it is', async () => {
  await createSetup(service, { external_id: 'stored', selector: groupOf('a', 'b') })
  const before = await readSetup(service, 'stored')
  // As in an update, what is not given stays.
  const report = await dryRun({ external_id: 'stored', selector: groupOf('b', 'c') })
  assert.deepEqual([report.matched, report.gained, report.lost, report.current_version], [2, 1, 2, 1])
  assert.deepEqual(report.gained_examples, ids('c1'))
  assert.deepEqual(report.lost_examples.toSorted(bySpan), ids('a1', 'a2').toSorted(bySpan))
  assert.deepEqual(
    report.evaluators.map((one: Json) => one.evaluator_type),
    ['char-count'],
  )
  assert.deepEqual(await readSetup(service, 'stored'), before)
  const same = await dryRun({ external_id: 'stored', evaluators: ['word-count'] })
  assert.deepEqual([same.matched, same.gained, same.lost], [3, 0, 0])
  assert.equal(same.evaluators[0].evaluator_type, 'word-count')
})

test('200 tells which inputs are missing, and what an evaluator would be given', async () => {
  const long = 'x'.repeat(2_000)
  const full = Array.from({ length: 6 }, (_, at) =>
    span(`full ${at}`, { 'test.group': 'inputs' }, { completion: `${at} ${long}` }),
  )
  const bare = { ...span('bare'), attributes: { 'test.group': 'inputs' } }
  await sendSpans(service, [...full, bare, { ...bare, ...span('bare too'), attributes: bare.attributes }])
  const report = await dryRun({
    external_id: 'inputs',
    evaluators: ['char-count', 'placeholder-regex'],
    selector: groupOf('inputs'),
  })
  const [counted, unmapped] = report.evaluators
  assert.equal(counted.checked, 8)
  assert.equal(counted.missing_share, 0.25)
  assert.deepEqual(counted.missing_inputs, { text: 2 })
  assert.equal(counted.inputs.length, 5)
  assert.match(counted.inputs[0].input.text, /^\d x{400,}…$/)
  assert.deepEqual([counted.scope, counted.sampling_rate, counted.error_message], ['span', 1, undefined])
  assert.match(unmapped.error_message, /placeholder/)
  assert.deepEqual(unmapped.inputs, [])
})

test('200 says why an entry would not be bound in the words of the setup', async () => {
  const live = await startService()
  const bare = { ...span('bare'), attributes: { 'test.group': 'bare' } }
  await sendSpans(live, [bare])
  const body = {
    external_id: 'unbound',
    selector: groupOf('bare'),
    evaluators: ['char-count', 'regex-validator', 'word-count'],
    evaluator_configs: [
      { slug: 'word-count', mapping: { text: { source: 'span_attributes', key: 'test.group' } } },
    ],
  }
  const report = await dryRun(body, live)
  await createSetup(live, body)
  await sendSpans(live, [{ ...bare, ...span('bare too'), attributes: bare.attributes }])
  const setup = await untilStatus(live, 'unbound', 'partial')
  const messages = (entries: Json) => entries.map((one: Json) => one.error_message)
  assert.deepEqual(messages(report.evaluators), messages(setup.evaluators))
  assert.equal(messages(report.evaluators).filter(Boolean).length, 2)
  assert.deepEqual(report.evaluators[2].inputs[0].input, { text: 'bare' })
})

test('200 tries evaluators of traces on whole traces', async () => {
  const group = { 'test.group': 'agent' }
  const root = span('root', group)
  const bare = { ...root, attributes: group }
  // The one that matches says nothing; what there is to evaluate lies in its child, in another request.
  await sendSpans(service, [bare])
  const parentSpanId = Buffer.from(idsOf('root').span_id, 'hex')
  const traceId = Buffer.from(idsOf('root').trace_id, 'hex')
  await sendSpans(service, [{ ...span('child', {}, { completion: 'Of the child.' }), parentSpanId, traceId }])
  const body = { external_id: 'agent', selector: groupOf('agent') }
  const tried = async (scope: string) => {
    const report = await dryRun({ ...body, evaluator_configs: [{ slug: 'char-count', scope }] })
    assert.equal(report.matched, 1)
    return report.evaluators[0]
  }
  const alone = await tried('span')
  assert.deepEqual([alone.scope, alone.checked, alone.missing_share], ['span', 1, 1])
  assert.match(alone.error_message, /text/)
  const whole = await tried('trace')
  assert.deepEqual([whole.scope, whole.checked, whole.missing_share], ['trace', 1, 0])
  assert.equal(whole.inputs[0].input.text, 'Of the child.')
  assert.equal(whole.error_message, undefined)
})

test('200 says that nothing is known of inputs where nothing matches', async () => {
  const report = await dryRun({
    external_id: 'none',
    evaluators: ['char-count'],
    selector: groupOf('nobody'),
  })
  assert.deepEqual([report.matched, report.examples, report.matched_per_day], [0, [], 0])
  const [entry] = report.evaluators
  assert.ok(!('missing_share' in entry))
  assert.match(entry.error_message, /span/)
})

test('200 looks at the newest spans first and says how far it got', async () => {
  const body = { external_id: 'limited', evaluators: ['char-count'], selector: [] }
  const all = await dryRun(body)
  const some = await dryRun({ ...body, spans_max: 11 })
  assert.ok(all.looked.complete && !('stopped_by' in all.looked))
  assert.deepEqual([some.looked.complete, some.looked.stopped_by], [false, 'spans'])
  assert.deepEqual([some.looked.spans, some.looked.batches], [11, 4], 'whole requests only')
  assert.ok(some.looked.from > all.looked.from)
  // The newest request is looked at, however large it is.
  await sendSpans(service, [span('last'), span('very last')])
  assert.deepEqual((await dryRun({ ...body, spans_max: 1 })).looked.spans, 2)
})

test('200 looks only at spans that arrived in the window', async () => {
  const body = { external_id: 'window', evaluators: ['char-count'], selector: [] }
  const now = Date.now()
  const iso = (ms: number) => new Date(ms).toISOString()
  const future = await dryRun({ ...body, window: { from: iso(now + 3_600_000) } })
  assert.equal(future.looked.spans, 0)
  const past = await dryRun({ ...body, window: { to: iso(now - 3_600_000) } })
  assert.deepEqual([past.looked.spans, past.window.from], [0, iso(now - 7_200_000)])
  const both = await dryRun({ ...body, window: { from: iso(now - 3_600_000), to: iso(now + 60_000) } })
  assert.equal(both.looked.spans, 17)
})

test('200 estimates what judges would be asked, and leaves out a price that nobody knows', async () => {
  const model = await startFakeModel()
  after(() => model.close())
  const env = { ASSAY_JUDGE_BASE_URL: model.url, ASSAY_JUDGE_API_KEY: 'sk-test' }
  const judged = await startService({ ...env, ASSAY_JUDGE_MODEL: 'gpt-4o-mini', ASSAY_SETUP_REST_MS: '0' })
  const group = { 'test.group': 'judged' }
  await sendSpans(judged, [span('one', group), span('two', group)])
  const slug = 'answer-relevancy'
  const body = {
    external_id: 'judged',
    selector: groupOf('judged'),
    evaluator_configs: [{ slug, sampling_rate: 0.5 }, { slug: 'char-count' }],
  }
  const [entry, plain] = (await dryRun(body, judged)).evaluators
  assert.equal(entry.judge, 'openai/gpt-4o-mini')
  const { per_day: perDay } = entry
  assert.deepEqual([perDay.evaluations, perDay.judge_calls, perDay.basis], [24, 24, 'input_lengths'])
  const prompt = (24 * (400 * 4 + 'How are you?Fine, thanks.'.length)) / 4
  assert.deepEqual([perDay.prompt_tokens, perDay.completion_tokens], [prompt, 24 * 200])
  assert.equal(perDay.cost_usd, Math.ceil(prompt * 0.15 + 24 * 200 * 0.6) / 1e6)
  assert.ok(!('per_day' in plain) && !('judge' in plain))
  assert.equal(model.requests.length, 0, 'no judge is asked')

  await createSetup(judged, { ...body, evaluators: [slug], evaluator_configs: [] })
  await sendSpans(judged, [span('three', group)])
  await eventually(async () => {
    const { json } = await judged.call('GET', `/v2/evaluations?external_id=judged&status=scored`)
    return json.evaluations.length > 0
  }, 'a span is judged')
  const [known] = (await dryRun(body, judged)).evaluators
  assert.equal(known.per_day.basis, 'recent_evaluations')
  assert.ok(known.per_day.judge_calls >= known.per_day.evaluations)

  const unknown = await startService({ ...env, ASSAY_JUDGE_MODEL: 'nobody-sells-this' })
  await sendSpans(unknown, [span('one', group)])
  const [unpriced] = (await dryRun(body, unknown)).evaluators
  assert.equal(unpriced.per_day.evaluations, 12)
  assert.ok(!('cost_usd' in unpriced.per_day))
})

test('400 names the field, as in create', async () => {
  const good = { external_id: 'bad', evaluators: ['char-count'] }
  const bodies: object[] = [
    {},
    { external_id: 'x' },
    { ...good, evaluators: ['no-such'] },
    { ...good, selector: [{ key: 'a', source: 'span_attributes', operator: 'equals' }] },
    { ...good, evaluator_configs: [{ slug: 'char-count', sampling_rate: 2 }] },
    { ...good, external_id: 7 },
  ]
  for (const body of bodies) {
    const created = await service.call('POST', SETUPS, { body })
    assert.equal(created.status, 400, created.text)
    assertError(await service.call('POST', DRY_RUN, { body }), 400, created.json.error)
  }
  const refused = async (body: object, message: RegExp) =>
    assertError(await service.call('POST', DRY_RUN, { body: { ...good, ...body } }), 400, message)
  await refused({ window: { from: 'yesterday' } }, /window\.from must be an ISO 8601 time/)
  await refused(
    { window: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } },
    /window\.from must be before to/,
  )
  await refused({ spans_max: 0 }, /spans_max/)
  await refused({ spans_max: 1e9 }, /spans_max/)
  await createSetup(service, { external_id: 'kept' })
  assertError(
    await service.call('POST', DRY_RUN, { body: { external_id: 'kept', selector: 7 } }),
    400,
    /selector/,
  )
})

test('429 when too many are under way', async () => {
  const body = { external_id: 'crowd', evaluators: ['char-count'] }
  const answers = await Promise.all(Array.from({ length: 6 }, () => service.call('POST', DRY_RUN, { body })))
  const statuses = answers.map(({ status }) => status).sort()
  assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join(' '))
  const refused = answers.find(({ status }) => status === 429)
  assert.match(refused?.json.error, /at most 2 dry runs at the same time/)
  await dryRun(body)
})

test('nothing of other tenants and environments is looked at', async () => {
  const owner = await service.call('POST', '/v2/organizations', {
    body: { org_name: 'Own', envs: ['prd', 'stg'] },
  })
  const [key, staging] = owner.json.environments.map((one: Json) => one.api_key)
  const body = { external_id: 'theirs', evaluators: ['char-count'] }
  assert.equal((await dryRun(body, service, key)).looked.spans, 0)
  await sendSpans(service, [span('theirs')], { key })
  assert.equal((await dryRun(body, service, key)).looked.spans, 1)
  assert.equal((await dryRun(body, service, staging)).looked.spans, 0)
  // A stored setup is tried where it lives, whichever key asks.
  await createSetup(service, body, key)
  assert.equal((await dryRun(body, service, staging)).looked.spans, 1)
  assert.equal((await service.call('POST', DRY_RUN, { body, key: null })).status, 401)
})
