import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { eventually } from '../support/spans.ts'
import { createGroupSetup, GROUP, newSpan, resultsOf, sendSpans } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

async function get(path: string): Promise<Json> {
  const answer = await service.call('GET', path)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const list = async (query: string): Promise<Json[]> => (await get(`/v2/evaluations?${query}`)).evaluations

const EMAIL = 'write to anna.schmidt@example.org'
const SIMILAR = {
  slug: 'semantic-similarity',
  mapping: {
    completion: { field: 'completion' },
    reference: { source: 'span_attributes', key: 'reference' },
  },
}
const evaluators = ['char-count', 'pii-detector', 'semantic-similarity']
await createGroupSetup(service, 'judged', { evaluators, evaluator_configs: [SIMILAR] })
await sendSpans(
  service,
  [EMAIL, 'The cat sat on the mat.', undefined].map((answer) =>
    newSpan({
      ...(answer === undefined ? {} : { answer }),
      attributes: { [GROUP]: 'judged', reference: 'A cat was sitting on the mat.' },
    }),
  ),
)
await resultsOf(service, 'judged', 9)

const told = (evaluations: Json[]) =>
  evaluations.map(({ evaluator_type, verdict, verdict_label }) => [evaluator_type, verdict, verdict_label])

test('200 every scored result has a verdict and says it in words; others have none', async () => {
  assert.deepEqual(told(await list('evaluator_type=pii-detector')).toSorted(), [
    ['pii-detector', undefined, undefined],
    ['pii-detector', 'fail', 'Personal data found'],
    ['pii-detector', 'pass', 'No personal data'],
  ])
  assert.deepEqual(told(await list('evaluator_type=char-count&status=scored')), [
    ['char-count', 'neutral', undefined],
    ['char-count', 'neutral', undefined],
  ])
})

test('200 results beside a trace and a span have the verdict too', async () => {
  const [failed] = await list('verdict=fail&evaluator_type=pii-detector')
  const expected = [['pii-detector', 'fail', 'Personal data found']]
  const ofPii = (evaluations: Json[]) =>
    told(evaluations.filter(({ evaluator_type: slug }) => slug === 'pii-detector'))
  const { traces } = await get('/v2/traces?limit=100')
  const listed = traces.find(({ trace_id }: Json) => trace_id === failed.trace_id)
  assert.deepEqual(ofPii(listed.evaluations), expected)
  const trace = await get(`/v2/traces/${failed.trace_id}`)
  assert.deepEqual(ofPii(trace.spans[0].evaluations), expected)
})

test('200 the overview says in which direction a property gets better, and null where it decides nothing', async () => {
  const { monitors } = await get('/v2/overview')
  const directions = monitors.map(({ evaluator_type: slug, property, better }: Json) => [
    slug,
    property,
    better,
  ])
  assert.deepEqual(directions.toSorted(), [
    ['char-count', 'char_count', null],
    ['pii-detector', 'has_pii', 'lower'],
    ['semantic-similarity', 'similarity_score', 'higher'],
  ])
})

test('200 verdict filters lists and exports; 400 for one that does not exist', async () => {
  assert.deepEqual(told(await list('verdict=fail&evaluator_type=pii-detector')), [
    ['pii-detector', 'fail', 'Personal data found'],
  ])
  const failed = await list('verdict=fail')
  assert.ok(failed.every(({ verdict }) => verdict === 'fail'))
  const exported = await service.call('GET', '/v2/evaluations/export?verdict=fail&format=csv')
  assert.match(exported.text.split('\n')[0] ?? '', /,verdict,verdict_label,/)
  assert.equal(exported.text.trim().split('\n').length, failed.length + 1)
  assertError(await service.call('GET', '/v2/evaluations?verdict=good'), 400, /verdict/)
})

test('200 a list has the results that a bucket of a chart counts; 400 names a bound', async () => {
  const [monitor] = (await get('/v2/monitors?evaluator_type=pii-detector')).monitors
  const { points } = await get(`/v2/monitors/${monitor.id}/series?bucket=1m&aggregation=pass_rate`)
  const listed = await Promise.all(
    points.map(async ({ time }: Json) => {
      const end = new Date(Date.parse(time) + 60_000).toISOString()
      return (await list(`monitor_id=${monitor.id}&unit_from=${time}&unit_to=${end}`)).length
    }),
  )
  assert.ok(points.length > 0)
  assert.deepEqual(
    listed,
    points.map(({ coverage }: Json) => coverage.total),
  )
  const wrong = 'unit_from=2026-01-02T00:00:00Z&unit_to=2026-01-01T00:00:00Z'
  assertError(await service.call('GET', `/v2/evaluations?${wrong}`), 400, /unit_to/)
  assertError(await service.call('GET', '/v2/evaluations?unit_from=soon'), 400, /unit_from/)
})

test('200 a chart of the pass rate, and groups by verdict', async () => {
  const [monitor] = (await get('/v2/monitors?evaluator_type=pii-detector')).monitors
  assert.deepEqual(monitor.verdict, {
    rule: 'has_pii is false',
    property: 'has_pii',
    pass_label: 'No personal data',
    fail_label: 'Personal data found',
  })
  const series = await get(`/v2/monitors/${monitor.id}/series?aggregation=pass_rate&bucket=1d`)
  assert.deepEqual(
    series.points.map(({ value, count }: Json) => [value, count]),
    [[0.5, 2]],
  )
  const breakdown = await get(`/v2/monitors/${monitor.id}/breakdown?by=service`)
  assert.deepEqual(breakdown.groups[0].verdicts, { pass: 1, fail: 1 })
})

test('200 a threshold of the setup judges stored results again without evaluating, and is told back', async () => {
  const filter = 'external_id=judged&evaluator_type=semantic-similarity&status=scored'
  const before = await list(filter)
  assert.deepEqual(before.map(({ verdict }) => verdict).toSorted(), ['fail', 'pass'])
  const change = { evaluators, evaluator_configs: [{ ...SIMILAR, verdict_threshold: 1.5 }] }
  const answer = await service.call('PUT', '/v2/auto-monitor-setups/judged', { body: change })
  assert.equal(answer.status, 200, answer.text)
  const config = answer.json.evaluator_configs.find(({ slug }: Json) => slug === 'semantic-similarity')
  assert.equal(config.verdict_threshold, 1.5)
  await eventually(
    async () => (await list(filter)).every(({ verdict }) => verdict === 'fail'),
    'all similarities are below the new threshold',
  )
  const after = await list(filter)
  assert.deepEqual(
    after.map(({ id, output }) => [id, output]),
    before.map(({ id, output }) => [id, output]),
  )
  const [monitor] = (await get('/v2/monitors?evaluator_type=semantic-similarity')).monitors
  assert.deepEqual([monitor.versions.length, monitor.verdict.threshold], [1, 1.5])
})

test('400 a threshold for an evaluator that has none names the field', async () => {
  const evaluator_configs = [{ slug: 'pii-detector', verdict_threshold: 0.5 }]
  const body = { external_id: 'no-threshold', evaluators: ['pii-detector'], evaluator_configs }
  assertError(
    await service.call('POST', '/v2/auto-monitor-setups', { body }),
    400,
    /evaluator_configs\[0\]\.verdict_threshold: pii-detector has no threshold/,
  )
})

const JUDGE = {
  name: 'Stars',
  slug: 'stars',
  provider: 'openai',
  model: 'tiny',
  messages: [{ role: 'user', content: 'Rate {{text}}.' }],
  input_schema: [{ name: 'text', type: 'string' }],
  output_schema: [
    { name: 'stars', type: 'int', minimum: 1, maximum: 5 },
    { name: 'mood', type: 'enum', enum_values: ['good', 'bad'] },
  ],
}

test('200 a custom evaluator chooses its rule; without one, stars are neutral', async () => {
  const made = await service.call('POST', '/v2/evaluators', { body: JUDGE })
  assert.equal(made.status, 200, made.text)
  const unchosen = await get('/v2/evaluators/stars')
  assert.equal(unchosen.verdict.rule, 'neutral: it only counts')
  assert.ok(!('chosen_verdict' in unchosen))
  const verdict = { property: 'stars', at_least: 3, pass_label: 'Liked', fail_label: 'Disliked' }
  const changed = await service.call('PATCH', '/v2/evaluators/stars', { body: { verdict } })
  assert.equal(changed.status, 200, changed.text)
  const stored = await get('/v2/evaluators/stars')
  assert.deepEqual(
    [stored.version, stored.verdict.rule, stored.verdict.pass_label],
    ['1', 'stars is at least 3', 'Liked'],
  )
  assert.deepEqual(stored.chosen_verdict, verdict)
  const labels = { pass_label: 'Good', fail_label: 'Bad' }
  for (const other of [{ neutral: true }, { property: 'mood', one_of: ['good'] }]) {
    const sent = { ...other, ...labels }
    const answer = await service.call('PATCH', '/v2/evaluators/stars', { body: { verdict: sent } })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual((await get('/v2/evaluators/stars')).chosen_verdict, sent)
  }
})

test('400 a rule that does not fit the outputs says which part', async () => {
  const refuse = async (verdict: Json, message: RegExp) =>
    assertError(
      await service.call('POST', '/v2/evaluators', { body: { ...JUDGE, slug: 'refused', verdict } }),
      400,
      message,
    )
  await refuse({ property: 'other', is: true }, /verdict\.property: other is not in output_schema/)
  await refuse({ property: 'stars', is: true }, /verdict\.is: stars is no boolean/)
  await refuse({ property: 'mood', one_of: ['fine'] }, /verdict\.one_of: fine is not a value of mood/)
  await refuse({ property: 'stars' }, /verdict must have exactly one of is, one_of/)
  await refuse({ property: 'stars', at_least: 1, at_most: 2 }, /verdict must have exactly one of/)
  await refuse({ is: true }, /verdict must have a property, or neutral/)
  await refuse({ neutral: true, property: 'stars' }, /verdict must have nothing else beside neutral/)
})
