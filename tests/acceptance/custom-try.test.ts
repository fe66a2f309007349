import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { startRestingService, type TestService } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const model = await startFakeModel()
after(() => model.close())
const prices = path.join(temporaryDirectory(), 'prices.json')
writeFileSync(prices, JSON.stringify({ 'openai/dear': { input: 1_000, output: 1_000 } }))
const service = await startRestingService({
  OPENAI_BASE_URL: model.url,
  ASSAY_JUDGE_PRICES: prices,
  ASSAY_PRIVACY_GATE: 'on',
})

const JUDGE = {
  name: 'Politeness',
  provider: 'openai',
  model: 'tiny',
  messages: [{ role: 'user', content: 'Is this polite? {{text}}' }],
  input_schema: [{ name: 'text', type: 'string' }],
  output_schema: [
    { name: 'pass', type: 'boolean' },
    { name: 'mood', type: 'enum', enum_values: ['good', 'bad'] },
  ],
}
const INPUT = { text: 'Thank you.' }

function tryJudge(change: object = {}, on: TestService = service, key?: string) {
  const body = { ...JUDGE, input: INPUT, ...change }
  return on.call('POST', '/v2/evaluators/try', { body, ...(key === undefined ? {} : { key }) })
}

test('200 answers like executing it and says who judged, and stores no evaluator', async () => {
  model.script({ content: { pass: true, mood: 'bad' } })
  const answer = await tryJudge({ slug: 'politeness', temperature: 0.25 })
  assert.deepEqual([answer.status, answer.json], [200, { pass: true, mood: 'bad' }])
  assert.equal(answer.headers.get('x-assay-judge'), 'openai/tiny')
  assert.equal(model.requests.at(-1)?.body['temperature'], 0.25)
  const { evaluators } = (await service.call('GET', '/v2/evaluators?source=custom')).json
  assert.deepEqual(evaluators, [])
  assert.equal((await service.call('GET', '/v2/evaluators/politeness')).status, 404)
})

test('200 without asking again when the very same was tried before', async () => {
  const change = { input: { text: 'Good morning.' } }
  const first = await tryJudge(change)
  const asked = model.requests.length
  assert.deepEqual((await tryJudge(change)).json, first.json)
  assert.equal(model.requests.length, asked)
})

test('200 for a slug that is taken: a judge is tried before it is changed', async () => {
  const created = await service.call('POST', '/v2/evaluators', { body: { ...JUDGE, slug: 'taken' } })
  assert.equal(created.status, 200)
  assert.equal((await tryJudge({ slug: 'taken', input: { text: 'Again.' } })).status, 200)
  const { versions } = (await service.call('GET', '/v2/evaluators/taken/versions')).json
  assert.equal(versions.length, 1)
})

for (const [name, change] of [
  ['a placeholder without an input', { messages: [{ role: 'user', content: '{{other}}' }] }],
  ['an enum without values', { output_schema: [{ name: 'mood', type: 'enum' }] }],
  ['a slug that is built in', { slug: 'char-count' }],
  ['an unknown provider', { provider: 'acme' }],
  ['no name', { name: undefined }],
] as const) {
  test(`400 for ${name}, in the words of creating it, and nobody is asked`, async () => {
    const asked = model.requests.length
    const answer = await tryJudge(change)
    const created = await service.call('POST', '/v2/evaluators', { body: { ...JUDGE, ...change } })
    assert.deepEqual([answer.status, answer.json], [400, created.json])
    assert.equal(model.requests.length, asked)
  })
}

test('400 names the input that is missing or has another type', async () => {
  const missing = await tryJudge({ input: {} })
  assert.deepEqual([missing.status, missing.json], [400, { error: 'invalid input: input.text is required' }])
  const wrong = await tryJudge({ input: { text: 5 } })
  assert.deepEqual([wrong.status, wrong.json], [400, { error: 'invalid input: input.text must be a string' }])
  const none = await tryJudge({ input: undefined })
  assert.deepEqual([none.status, none.json], [400, { error: 'invalid input: input is required' }])
})

test('what leaves for the provider has no personal data in it', async () => {
  const answer = await tryJudge({ input: { text: 'Write to anna.schmidt@example.com.' } })
  assert.equal(answer.status, 200)
  assert.doesNotMatch(JSON.stringify(model.requests.at(-1)?.messages), /anna\.schmidt/)
})

test('502 when there is no verdict', async () => {
  for (let attempt = 0; attempt < 2; attempt++) model.script({ content: { pass: 'perhaps' } })
  assert.equal((await tryJudge({ input: { text: 'Neither.' } })).status, 502)
})

test('429 when the budget of the project is spent, to which trying counts', async () => {
  const tryDear = (text: string) => tryJudge({ model: 'dear', input: { text } })
  assert.equal((await tryDear('first')).status, 200)
  assert.equal((await service.call('PUT', '/v2/budgets', { body: { day_usd: 0.01 } })).status, 200)
  let answer = await tryDear('second')
  const deadline = Date.now() + 300_000
  for (let round = 0; answer.status === 200 && Date.now() < deadline; round++)
    answer = await tryDear(`${round}`)
  assert.equal(answer.status, 429)
  const { budgets } = (await service.call('GET', '/v2/budgets')).json
  assert.ok(budgets[0].spent_day_usd > 0.01)
  assert.equal((await service.call('DELETE', '/v2/budgets')).status, 204)
})

test('503 without a provider says what to set', async () => {
  const other = await startRestingService()
  const answer = await tryJudge({}, other)
  assert.equal(answer.status, 503)
  assert.match(answer.json.error, /set OPENAI_API_KEY/)
})

test('403 with a key that may not write', async () => {
  const { json } = await service.call('POST', '/v2/api-keys', {
    body: { name: 'app', scopes: ['ingest', 'read'] },
  })
  assert.equal((await tryJudge({}, service, json.api_key)).status, 403)
})

test('200 lists the versions, the oldest first; 404 for what is not the own organization’s', async () => {
  await service.call('POST', '/v2/evaluators', { body: { ...JUDGE, slug: 'versioned' } })
  await service.call('PATCH', '/v2/evaluators/versioned', { body: { name: 'No version' } })
  const change = { config: { llm_config: { model: 'other' } } }
  const patched = await service.call('PATCH', '/v2/evaluators/versioned', { body: change })
  const listed = await service.call('GET', '/v2/evaluators/versioned/versions')
  assert.deepEqual([listed.status, listed.json], [200, { versions: patched.json.versions }])
  assert.deepEqual(
    listed.json.versions.map(({ version }: { version: string }) => version),
    ['1', '2'],
  )
  assert.equal((await service.call('GET', '/v2/evaluators/char-count/versions')).status, 404)
  const { json } = await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
  const key = json.environments[0].api_key
  assert.equal((await service.call('GET', '/v2/evaluators/versioned/versions', { key })).status, 404)
})
