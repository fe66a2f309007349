import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type FakeModelOptions, startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { EMBEDDED_QUALITY_MIN } from '../../src/domain/judgement.ts'
import type { AnyEvaluator } from '../../src/evaluators/kit/define-evaluator.ts'
import { EVALUATORS } from '../../src/evaluators/registry.gen.ts'
import { startService, type TestService } from '../support/service.ts'
import { chatSpan, eventually, sendSpans, untilStatus } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const POLITENESS = {
  name: 'Politeness',
  slug: 'politeness',
  provider: 'openai',
  model: 'gpt-4o',
  messages: [{ role: 'user', content: 'Is this polite?\n{{completion}}' }],
  input_schema: [{ name: 'completion', type: 'string' }],
  output_schema: [
    { name: 'is_polite', type: 'boolean' },
    { name: 'why', type: 'string' },
  ],
}

const SELECTOR = [{ key: 'gen_ai.system', value: 'openai', source: 'span_attributes', operator: 'equals' }]

/** A judged evaluator of spans whose embedded judge has such a quality; an unmeasured one has none. */
function builtInOf(isWanted: (balancedAccuracy: number) => boolean): AnyEvaluator {
  const found = EVALUATORS.find(
    ({ judging, defaultScope, fromSpan }) =>
      judging?.embedded &&
      defaultScope === 'span' &&
      Object.values(fromSpan).every((field) => ['prompt', 'completion', 'context'].includes(field ?? '')) &&
      isWanted(judging.embeddedQuality?.balancedAccuracy ?? 0),
  )
  assert.ok(found, 'there is such an evaluator')
  return found
}

/** The attributes that a chat span lacks for the evaluator. */
function attributesFor({ fromSpan }: AnyEvaluator): Record<string, string> {
  const hasContext = Object.values(fromSpan).includes('context')
  return hasContext
    ? {
        'retrieval.documents.0.document.content': 'They are fine. They thank you.',
      }
    : {}
}

async function startWithModel(options: FakeModelOptions = {}, env: Record<string, string> = {}) {
  const model = await startFakeModel(options)
  after(() => model.close())
  const service = await startService({
    ASSAY_JUDGE_BASE_URL: model.url,
    ASSAY_JUDGE_API_KEY: 'sk-test',
    ASSAY_SETUP_REST_MS: '0',
    ...env,
  })
  return { service, model }
}

async function monitor(service: TestService, evaluators: readonly string[], externalId = 'judged') {
  const body = { external_id: externalId, evaluators, selector: SELECTOR }
  const answer = await service.call('POST', '/v2/auto-monitor-setups', { body })
  assert.equal(answer.status, 201, answer.text)
}

async function createPoliteness(service: TestService): Promise<string> {
  const answer = await service.call('POST', '/v2/evaluators', { body: POLITENESS })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.evaluator_id
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
async function evaluations(service: TestService, count: number): Promise<any[]> {
  return eventually(async () => {
    const { json } = await service.call('GET', '/v2/evaluations?limit=100')
    return json.evaluations.length >= count && json.evaluations
  }, `${count} evaluations`)
}

test('a custom evaluator judges matching spans, each once, and tells who judged and what it cost', async () => {
  const { service, model } = await startWithModel({
    answer: () => ({ content: { is_polite: true, why: 'It thanks.' } }),
  })
  await createPoliteness(service)
  await monitor(service, ['politeness'])
  const names = ['a', 'b', 'c', 'd', 'e']
  await sendSpans(
    service,
    names.map((name) => chatSpan(name, { completion: `Fine, thanks, said ${name}.` })),
  )
  await untilStatus(service, 'judged', 'completed')
  const found = await evaluations(service, names.length)
  assert.equal(found.length, names.length)
  for (const evaluation of found) {
    assert.equal(evaluation.status, 'scored')
    assert.deepEqual(evaluation.output, { is_polite: true, why: 'It thanks.' })
    assert.equal(evaluation.judge, 'openai/gpt-4o')
  }
  assert.equal(model.requests.length, names.length)
  const { json } = await service.call('GET', `/v2/evaluations/${found[0].id}`)
  assert.equal(json.judgement.calls, 1)
  assert.match(json.input.completion, /^Fine, thanks, said [a-e]\.$/)
  assert.ok(json.judgement.prompt_tokens > 0 && json.judgement.cost_usd > 0)
  const [listed] = (await service.call('GET', '/v2/monitors')).json.monitors
  assert.equal(listed.judge, 'openai/gpt-4o')
})

test('an outage of the provider is no result: spans wait and are scored when it is back', async () => {
  let isDown = true
  const { service, model } = await startWithModel({
    answer: () =>
      isDown ? { status: 503, retryAfter: 0 } : { content: { is_polite: false, why: 'It is curt.' } },
  })
  await createPoliteness(service)
  await monitor(service, ['politeness'])
  await sendSpans(service, [chatSpan('x'), chatSpan('y', { completion: 'No.' })])
  await untilStatus(service, 'judged', 'completed')
  await eventually(async () => model.requests.length >= 3, 'the provider was tried')
  const { json } = await service.call('GET', '/v2/evaluations')
  assert.deepEqual(json.evaluations, [])
  isDown = false
  const found = await evaluations(service, 2)
  assert.deepEqual(
    found.map(({ status, output }) => [status, output.is_polite]),
    [
      ['scored', false],
      ['scored', false],
    ],
  )
})

test('a judge that declines or talks nonsense gives a status of its own and never a score', async () => {
  const { service } = await startWithModel({
    answer: ({ messages }) => {
      const text = messages.map(({ content }) => content).join('\n')
      if (text.includes('REFUSE')) return { refusal: true }
      return { content: { is_polite: 'yes', why: 'Quoted booleans are not booleans.' } }
    },
  })
  await createPoliteness(service)
  await monitor(service, ['politeness'])
  await sendSpans(service, [
    chatSpan('r', { completion: 'REFUSE' }),
    chatSpan('n', { completion: 'nonsense' }),
  ])
  const found = await evaluations(service, 2)
  assert.deepEqual(found.map(({ status }) => status).toSorted(), ['refused', 'unparseable'])
  for (const evaluation of found) {
    assert.ok(!('output' in evaluation))
    assert.ok(evaluation.error_message.length > 0)
  }
  const [listed] = (await service.call('GET', '/v2/monitors')).json.monitors
  assert.deepEqual(listed.counts, { refused: 1, unparseable: 1 })
})

test('a changed evaluator is a new version of its monitors, and old results keep theirs', async () => {
  const { service } = await startWithModel({
    answer: () => ({ content: { is_polite: true, why: '' } }),
  })
  await createPoliteness(service)
  await monitor(service, ['politeness'])
  await sendSpans(service, [chatSpan('before')])
  await evaluations(service, 1)
  const change = { config: { messages: [{ role: 'user', content: 'Polite, in short?\n{{completion}}' }] } }
  const changed = await service.call('PATCH', '/v2/evaluators/politeness', { body: change })
  assert.equal(changed.status, 200, changed.text)
  await eventually(async () => {
    const [listed] = (await service.call('GET', '/v2/monitors')).json.monitors
    return listed.status === 'active' && listed.evaluator_version === 2
  }, 'the monitor has gone over to the new version')
  await sendSpans(service, [chatSpan('after')])
  const found = await evaluations(service, 2)
  const versions = await Promise.all(
    found.map(async ({ id }) => (await service.call('GET', `/v2/evaluations/${id}`)).json.evaluator_version),
  )
  assert.deepEqual(versions, [2, 1])
})

test('another judge after a restart is a new version: no series averages two judges', async () => {
  const dataDir = temporaryDirectory()
  const options = { answer: () => undefined }
  const first = await startWithModel(options, { ASSAY_DATA_DIR: dataDir })
  await monitor(first.service, ['answer-relevancy'])
  await sendSpans(first.service, [chatSpan('one')])
  await evaluations(first.service, 1)
  await first.service.close()
  const second = await startWithModel(options, {
    ASSAY_DATA_DIR: dataDir,
    ASSAY_JUDGE_MODEL: 'anthropic/claude-sonnet-4-5',
  })
  await eventually(async () => {
    const [listed] = (await second.service.call('GET', '/v2/monitors')).json.monitors
    return listed.status === 'active' && listed.judge === 'anthropic/claude-sonnet-4-5'
  }, 'the monitor is judged by the other one')
  await sendSpans(second.service, [chatSpan('two')])
  const found = await evaluations(second.service, 2)
  assert.deepEqual(
    found.map(({ judge }) => judge),
    ['anthropic/claude-sonnet-4-5', 'openai/gpt-4o'],
  )
})

test('without a provider a monitor scores where the embedded judge was measured to be good', async () => {
  const service = await startService({ ASSAY_SETUP_REST_MS: '0' })
  const good = builtInOf((quality) => quality >= EMBEDDED_QUALITY_MIN)
  await monitor(service, [good.slug])
  await sendSpans(service, [chatSpan('embedded', { attributes: attributesFor(good) })])
  const [found] = await evaluations(service, 1)
  assert.deepEqual([found.status, found.judge], ['scored', 'embedded'], found.error_message)
})

test('elsewhere it abstains with the reason, unless it is told to score always', async () => {
  const poor = builtInOf((quality) => quality < EMBEDDED_QUALITY_MIN)
  const env = { ASSAY_SETUP_REST_MS: '0' }
  const careful = await startService(env)
  const bold = await startService({ ...env, ASSAY_EMBEDDED_JUDGE: 'always' })
  for (const service of [careful, bold]) {
    await monitor(service, [poor.slug])
    await sendSpans(service, [chatSpan('embedded', { attributes: attributesFor(poor) })])
  }
  const [abstained] = await evaluations(careful, 1)
  assert.deepEqual([abstained.status, abstained.output], ['abstained', undefined])
  assert.match(abstained.error_message, /not good enough .* set ASSAY_EMBEDDED_JUDGE=always/)
  const [scored] = await evaluations(bold, 1)
  assert.deepEqual([scored.status, scored.judge], ['scored', 'embedded'], scored.error_message)
})
