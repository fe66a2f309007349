import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { startRestingService, type TestService } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const model = await startFakeModel()
after(() => model.close())
const SECRETS_KEY = randomBytes(32).toString('base64')
const service = await startRestingService({
  ASSAY_SECRETS_KEY: SECRETS_KEY,
  ASSAY_PROVIDER_BASE_URLS: `https://one.example/v1, ${model.url}/`,
})
const KEY = 'sk-very-secret-of-the-tenant-wxyz'
const PATH = '/v2/provider-keys/openai'

async function newTenant(on: TestService = service): Promise<string> {
  const { json } = await on.call('POST', '/v2/organizations', { body: { org_name: 'Tenant' } })
  const scopes = ['ingest', 'read', 'write', 'admin']
  const made = await on.call('POST', '/v2/api-keys', {
    key: json.environments[0].api_key,
    body: { name: 'all', scopes },
  })
  return made.status === 201 ? made.json.api_key : json.environments[0].api_key
}

test('200 stores a key and shows only its last characters, here and in every later answer', async () => {
  const key = await newTenant()
  const put = await service.call('PUT', PATH, { key, body: { api_key: KEY, base_url: `${model.url}/` } })
  assert.equal(put.status, 200)
  const { updated_at, ...shown } = put.json
  assert.ok(updated_at)
  assert.deepEqual(shown, { provider: 'openai', base_url: model.url, hint: 'wxyz' })
  const got = await service.call('GET', PATH, { key })
  assert.deepEqual(got.json, put.json)
  const listed = await service.call('GET', '/v2/provider-keys', { key })
  assert.deepEqual(listed.json, { provider_keys: [put.json] })
  assert.ok(!`${put.text}${got.text}${listed.text}${service.logLines.join()}`.includes(KEY))
})

test('the key is on disk only encrypted', async () => {
  const key = await newTenant()
  await service.call('PUT', PATH, { key, body: { api_key: KEY } })
  const files = await service.store.contents()
  assert.ok(files.some((bytes) => bytes.includes('wxyz')))
  assert.ok(files.every((bytes) => !bytes.includes(KEY)))
})

test('the judges of an organization are called with its own key, and of no other', async () => {
  const [one, two] = [await newTenant(), await newTenant()]
  await service.call('PUT', PATH, { key: one, body: { api_key: KEY, base_url: model.url } })
  const body = {
    name: 'Kind',
    slug: 'kind',
    provider: 'openai',
    model: 'tiny',
    messages: [{ role: 'user', content: '{{text}}' }],
    input_schema: [{ name: 'text', type: 'string' }],
    output_schema: [{ name: 'pass', type: 'boolean' }],
  }
  for (const key of [one, two]) await service.call('POST', '/v2/evaluators', { key, body })
  const execute = (key: string) =>
    service.call('POST', '/v2/evaluators/kind/execute', { key, body: { input: { text: 'x' } } })
  const asked = model.requests.length
  assert.equal((await execute(one)).status, 200)
  assert.equal(model.requests.at(-1)?.headers['authorization'], `Bearer ${KEY}`)
  const without = await execute(two)
  assert.equal(without.status, 503)
  assert.match(without.json.error, /PUT \/v2\/provider-keys\/openai/)
  assert.equal(model.requests.length, asked + 1)
})

test('204 forgets a key, 404 when there is none', async () => {
  const [key, other] = [await newTenant(), await newTenant()]
  await service.call('PUT', PATH, { key, body: { api_key: KEY } })
  assert.equal((await service.call('GET', PATH, { key: other })).status, 404)
  assert.equal((await service.call('DELETE', PATH, { key: other })).status, 404)
  assert.equal((await service.call('DELETE', PATH, { key })).status, 204)
  for (const method of ['GET', 'DELETE']) {
    const answer = await service.call(method, PATH, { key })
    assert.deepEqual(
      [answer.status, answer.json],
      [404, { error: 'the organization has no key at this provider' }],
    )
  }
})

for (const [name, provider, body, message] of [
  [
    'an unknown provider',
    'acme',
    { api_key: KEY },
    'provider must be one of openai, anthropic, google, azure, bedrock',
  ],
  ['no key', 'openai', {}, 'api_key is required'],
  [
    'a key with blanks',
    'openai',
    { api_key: 'not a key' },
    'api_key must be 8 to 4096 visible ASCII characters',
  ],
  [
    'an address that is not allowed',
    'openai',
    { api_key: KEY, base_url: 'http://169.254.169.254' },
    'base_url is not one that the operator of this service allows; ASSAY_PROVIDER_BASE_URLS lists them',
  ],
  ['azure without an address', 'azure', { api_key: KEY }, 'base_url is required for azure'],
] as const) {
  test(`400 for ${name}`, async () => {
    const answer = await service.call('PUT', `/v2/provider-keys/${provider}`, { body })
    assert.deepEqual([answer.status, answer.json], [400, { error: `invalid input: ${message}` }])
  })
}

test('403 without the admin scope, whatever the method', async () => {
  const { json } = await service.call('POST', '/v2/api-keys', {
    body: { name: 'app', scopes: ['ingest', 'read', 'write'] },
  })
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const answer = await service.call(method, PATH, {
      key: json.api_key,
      ...(method === 'PUT' ? { body: { api_key: KEY } } : {}),
    })
    assert.equal(answer.status, 403)
  }
})

test('503 for a key that was stored under another secrets key, and the operator is not charged instead', async () => {
  const dataDir = temporaryDirectory()
  const env = { ASSAY_DATA_DIR: dataDir, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-operator-0000' }
  const first = await startRestingService({ ...env, ASSAY_SECRETS_KEY: SECRETS_KEY })
  assert.equal((await first.call('PUT', PATH, { body: { api_key: KEY } })).status, 200)
  await first.close()
  const second = await startRestingService({
    ...env,
    ASSAY_SECRETS_KEY: randomBytes(32).toString('base64'),
  })
  const asked = model.requests.length
  const body = { input: { question: 'Who?', answer: 'Nobody.' } }
  const answer = await second.call('POST', '/v2/evaluators/answer-relevancy/execute', { body })
  assert.equal(answer.status, 503)
  assert.match(answer.json.error, /stored under another ASSAY_SECRETS_KEY; store it again/)
  assert.equal(model.requests.length, asked)
})
