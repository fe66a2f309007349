import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type FakeModelOptions, startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { EVALUATORS } from '../../src/evaluators/registry.gen.ts'
import { startService, type TestService } from '../support/service.ts'

const JUDGED = EVALUATORS.filter(({ judging }) => judging)
const RELEVANCY = { input: { answer: 'The museum opens at ten.', question: 'When does the museum open?' } }

const echo = {
  name: 'Echo',
  slug: 'echo',
  provider: 'openai',
  model: 'gpt-4o',
  messages: [{ role: 'user', content: 'What do you see? {{text}}' }],
  input_schema: [{ name: 'text', type: 'string' }],
  output_schema: [{ name: 'seen', type: 'string' }],
}

const execute = (service: TestService, slug: string, body: unknown) =>
  service.call('POST', `/v2/evaluators/${slug}/execute`, { body })

async function startWithModel(options: FakeModelOptions, env: Record<string, string> = {}) {
  const model = await startFakeModel(options)
  after(() => model.close())
  const service = await startService({ ASSAY_JUDGE_BASE_URL: model.url, ...env })
  return { service, model }
}

/** Values that are valid and easy to forget. */
const ODD_TEXTS = ['', ' ', '\u0000', '🙂', 'word '.repeat(2_000), '{"a": 1}', '你好。世界!', '\n\n\n']
const ODD_LISTS = [
  '[]',
  '[""]',
  '[null, 1, true]',
  '[[], {}]',
  '[{"role": "user", "content": null}]',
  '[{"role": "tool"}]',
  '[{"role": "assistant", "content": [{"type": "text", "text": "hi"}], "tool_calls": [{}]}]',
]

/** Whether nothing is said that could be judged. */
const isEmpty = (value: string) => !/[\p{L}\p{N}]/u.test(value.replaceAll('null', ''))

const service = await startService()

describe('without a provider', () => {
  for (const { slug, examples, output, judging } of JUDGED.filter((each) => each.judging?.embedded)) {
    test(`${slug} answers all its fields and says how good the embedded judge is`, async () => {
      for (const { name, input, config } of examples) {
        const answer = await execute(service, slug, { input, ...(config ? { config } : {}) })
        assert.equal(answer.status, 200, `${name}: ${answer.text}`)
        assert.deepEqual(Object.keys(answer.json).toSorted(), Object.keys(output.shape).toSorted())
        assert.equal(answer.headers.get('x-assay-judge'), 'embedded')
        const quality = answer.headers.get('x-assay-judge-quality') ?? ''
        assert.match(quality, judging?.embeddedQuality ? /^balanced accuracy [01]\.\d\d on / : /^unmeasured$/)
      }
    })

    test(`${slug} answers whatever is valid`, async () => {
      const [example] = examples
      assert.ok(example)
      for (const field of Object.keys(example.input)) {
        const odd = [...ODD_TEXTS, ...ODD_LISTS].filter(
          (value) =>
            EVALUATORS.find((each) => each.slug === slug)?.input.shape[field].safeParse(value).success,
        )
        assert.ok(odd.length > 0, `${slug} ${field}`)
        for (const value of odd) {
          const input = { ...example.input, [field]: value }
          const answer = await execute(service, slug, {
            input,
            ...(example.config ? { config: example.config } : {}),
          })
          const what = `${field} = ${JSON.stringify(value).slice(0, 60)}: ${answer.text}`
          // An evaluator may refuse what cannot be judged, such as an empty truth, but it says which field that is.
          if (answer.status === 400) {
            assert.ok(isEmpty(value) && answer.json.error.startsWith(`invalid input: input.${field} `), what)
            continue
          }
          assert.equal(answer.status, 200, what)
          assert.deepEqual(Object.keys(answer.json).toSorted(), Object.keys(output.shape).toSorted(), what)
        }
      }
    })
  }

  test('uncertainty-detector has nobody to ask and says how to change that', async () => {
    const answer = await execute(service, 'uncertainty-detector', { input: { prompt: 'Who are you?' } })
    assert.equal(answer.status, 503)
    assert.match(answer.json.error, /none is configured: set ASSAY_JUDGE_MODEL/)
  })

  test('an invalid input is still an invalid input', async () => {
    const answer = await execute(service, 'answer-relevancy', { input: { answer: 1, question: 'q' } })
    assert.equal(answer.status, 400)
    assert.match(answer.json.error, /^invalid input: input\.answer/)
  })
})

test('the embedded judge can be turned off', async () => {
  const service = await startService({ ASSAY_EMBEDDED_JUDGE: 'off' })
  const answer = await execute(service, 'answer-relevancy', RELEVANCY)
  assert.equal(answer.status, 503)
  assert.match(answer.json.error, /^answer-relevancy needs a judge and none is configured/)
  // A decision in code needs no judge.
  const input = { tool_input: '{"city": "Oslo"}', tool_output: 'Error: connection refused' }
  const decided = await execute(service, 'agent-tool-error-detector', { input })
  assert.deepEqual([decided.status, decided.json.success], [200, false])
  assert.equal(decided.headers.get('x-assay-judge'), 'none')
})

test('with a provider its model judges, is named, and is not asked the same twice', async () => {
  const { service, model } = await startWithModel({}, { ASSAY_JUDGE_MODEL: 'some-model' })
  const first = await execute(service, 'answer-relevancy', RELEVANCY)
  assert.equal(first.status, 200, first.text)
  assert.equal(first.headers.get('x-assay-judge'), 'openai/some-model')
  assert.equal(first.headers.get('x-assay-judge-quality'), null)
  assert.ok(model.requests.length > 0)
  assert.ok(model.requests.every((request) => request.path === '/chat/completions'))
  const asked = model.requests.length
  const second = await execute(service, 'answer-relevancy', RELEVANCY)
  assert.deepEqual(second.json, first.json)
  assert.equal(model.requests.length, asked)
})

for (const [name, reply, status, message] of [
  ['a provider that is down', { status: 503, retryAfter: 700 }, 503, /does not answer at the moment/],
  ['a key that the provider refuses', { status: 401 }, 503, /openai/],
  ['an answer that is no verdict', { content: 'I think it is fine.' }, 502, /verdict|answer/],
  ['a judge that declines', { refusal: 'I cannot judge this.' }, 502, /declin|refus/],
  ['a judge that never answers', { hang: true }, 504, /time|long/],
] as const) {
  test(`${status} for ${name}`, async () => {
    const settings = status === 504 ? { ASSAY_JUDGE_MS_MAX: '1500' } : {}
    const { service } = await startWithModel({ answer: () => reply }, settings)
    const answer = await execute(service, 'answer-relevancy', RELEVANCY)
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.json.error, message)
    if (status === 503) assert.ok(Number(answer.headers.get('retry-after')) >= 1)
  })
}

test('429 when the budget is spent', async () => {
  const { service, model } = await startWithModel({}, { ASSAY_JUDGE_API_KEY: 'sk-test' })
  const budget = await service.call('PUT', '/v2/budgets', { body: { day_usd: 0 } })
  assert.equal(budget.status, 200, budget.text)
  const answer = await execute(service, 'answer-relevancy', RELEVANCY)
  assert.equal(answer.status, 429, answer.text)
  assert.match(answer.json.error, /budget/)
  assert.equal(model.requests.length, 0)
})

test('what is private does not leave the service, and the answer speaks of it all the same', async () => {
  const address = 'maria.lopez@example.net'
  const { service, model } = await startWithModel(
    {
      answer: ({ messages }) => ({
        content: { seen: messages.at(-1)?.content.match(/\[EMAIL\w*\]/)?.[0] ?? 'nothing' },
      }),
    },
    { ASSAY_PRIVACY_GATE: 'on' },
  )
  const created = await service.call('POST', '/v2/evaluators', { body: echo })
  assert.equal(created.status, 200, created.text)
  const answer = await execute(service, 'echo', { input: { text: `Write to ${address}.` } })
  assert.deepEqual([answer.status, answer.json], [200, { seen: address }])
  assert.ok(!JSON.stringify(model.requests).includes(address))

  const closed = await startWithModel({}, { ASSAY_PRIVACY_GATE: 'fail_closed' })
  await closed.service.call('POST', '/v2/evaluators', { body: echo })
  const refused = await execute(closed.service, 'echo', { input: { text: `Write to ${address}.` } })
  assert.equal(refused.status, 502)
  assert.match(refused.json.error, /must not leave this service \(email/)
  assert.equal(closed.model.requests.length, 0)
})
