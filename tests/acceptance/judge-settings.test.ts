import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { startRestingService, type TestService } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { isOnPostgres } from '../support/test-store.ts'
import { assertError } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

const model = await startFakeModel()
after(() => model.close())
const KEY = 'sk-secret-of-the-organization-wxyz'
const PATH = '/v2/provider-keys/openai'
const QUESTION = { input: { question: 'Is it raining in Bergen?', answer: 'It is raining.' } }
const dataDir = temporaryDirectory()
const file = path.join(dataDir, 'secrets-key')
const env = {
  ASSAY_DATA_DIR: dataDir,
  ASSAY_PROVIDER_BASE_URLS: model.url,
  ...(isOnPostgres() ? { ASSAY_SECRETS_KEY: randomBytes(32).toString('base64') } : {}),
}
let service = await startRestingService(env)
const inFile = { skip: isOnPostgres() ? 'a file is only beside an embedded store' : false }

const judges = async (on: TestService = service, key?: string): Promise<Json> =>
  (await on.call('GET', '/v2/judges', key === undefined ? {} : { key })).json

const put = (on: TestService = service) =>
  on.call('PUT', PATH, { body: { api_key: KEY, base_url: model.url } })

const ask = (question = 'Is it raining in Bergen?') =>
  service.call('POST', '/v2/evaluators/answer-relevancy/execute', {
    body: { input: { ...QUESTION.input, question } },
  })

async function restart(change: Record<string, string> = {}): Promise<void> {
  await service.close()
  service = await startRestingService({ ...env, ...change })
}

test(
  '200 a key can be stored at the first start, and the secrets key is beside the database',
  inFile,
  async () => {
    assert.deepEqual((await judges()).secrets, { source: 'file', problem: null })
    assert.equal(existsSync(file), false)
    assert.equal((await put()).status, 200)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const secret = readFileSync(file, 'utf8').trim()
    assert.ok(
      (await service.store.contents()).every((bytes) => !bytes.includes(secret) && !bytes.includes(KEY)),
    )
    assert.ok(!service.logLines.join().includes(secret))
  },
)

test('200 the key is used at once, also after a restart', async () => {
  assert.equal((await put()).status, 200)
  const told = await judges()
  assert.deepEqual([told.judge, told.source, told.chosen_judge], ['openai/gpt-4o', 'provider_key', null])
  assert.equal((await ask()).status, 200)
  assert.equal(model.requests.at(-1)?.headers['authorization'], `Bearer ${KEY}`)
  await restart()
  assert.equal((await ask('Does it rain?')).status, 200)
})

test('503 while others may read the file, and 200 when they may not any more', inFile, async () => {
  chmodSync(file, 0o644)
  await restart()
  assert.match((await judges()).secrets.problem, /mode 0644.*chmod 600/)
  assertError(await put(), 503)
  const answer = await ask('Is it wet?')
  assert.equal(answer.status, 503)
  assert.match(answer.json.error, /key for openai cannot be used: .*chmod 600/)
  assert.ok(service.logLines.some((line) => /chmod 600/.test(line)))
  const [listed] = (await service.call('GET', '/v2/provider-keys')).json.provider_keys
  assert.match(listed.problem, /chmod 600/)
  chmodSync(file, 0o600)
  assert.equal((await ask('Is it wet?')).status, 200)
})

test('503 after a restore without the file says what to do, at the start as well', inFile, async () => {
  renameSync(file, `${file}.elsewhere`)
  await restart()
  assert.ok(service.logLines.some((line) => /secrets-key is not in the data directory: copy it/.test(line)))
  const answer = await ask('Is it dry?')
  assert.equal(answer.status, 503)
  assert.match(
    answer.json.error,
    /secrets-key is not in the data directory: copy it there.*store the key again/,
  )
  const { problem } = (await service.call('GET', PATH)).json
  assert.match(problem, /copy it there/)
  renameSync(`${file}.elsewhere`, file)
  assert.equal((await ask('Is it dry?')).status, 200)
  assert.equal((await service.call('GET', PATH)).json.problem, undefined)
})

test(
  '200 what the file sealed stays readable when the setting comes, and new keys take the setting',
  inFile,
  async () => {
    const setting = randomBytes(32).toString('base64')
    await restart({ ASSAY_SECRETS_KEY: setting })
    assert.deepEqual((await judges()).secrets, { source: 'environment', problem: null })
    assert.equal((await ask('Is it warm?')).status, 200)
    assert.equal((await put()).status, 200)
    renameSync(file, `${file}.gone`)
    await restart({ ASSAY_SECRETS_KEY: setting })
    assert.equal((await ask('Is it cold?')).status, 200)
    assert.equal((await service.call('DELETE', PATH)).status, 204)
    renameSync(`${file}.gone`, file)
    await restart()
    assert.equal((await put()).status, 200)
  },
)

test('200 the default judge of an organization is used at once and can be taken back', async () => {
  const body = { provider: 'openai', model: 'tiny' }
  const chosen = await service.call('PUT', '/v2/judges/default', { body })
  assert.deepEqual([chosen.status, chosen.json], [200, { chosen_judge: 'openai/tiny' }])
  const told = await judges()
  assert.deepEqual(
    [told.judge, told.source, told.chosen_judge],
    ['openai/tiny', 'organization', 'openai/tiny'],
  )
  await ask('Which model?')
  assert.equal(model.requests.at(-1)?.body['model'], 'tiny')
  const other = (await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })).json
  const key = other.environments[0].api_key
  assert.deepEqual(
    [(await judges(service, key)).judge, (await judges(service, key)).chosen_judge],
    ['embedded', null],
  )
  assertError(await service.call('DELETE', '/v2/judges/default', { key }), 404)
  assert.equal((await service.call('DELETE', '/v2/judges/default')).status, 204)
  assertError(await service.call('DELETE', '/v2/judges/default'), 404)
  assert.equal((await judges()).judge, 'openai/gpt-4o')
})

test('200 a choice without a key for its provider waits until there is one', async () => {
  const body = { provider: 'anthropic', model: 'claude-sonnet-4-5' }
  await service.call('PUT', '/v2/judges/default', { body })
  assert.deepEqual((await judges()).judge, 'openai/gpt-4o')
  assert.deepEqual((await judges()).chosen_judge, 'anthropic/claude-sonnet-4-5')
  await service.call('DELETE', '/v2/judges/default')
})

test('200 a setting that names the judge wins over the choice', async () => {
  await service.call('PUT', '/v2/judges/default', { body: { provider: 'openai', model: 'tiny' } })
  await restart({ ASSAY_JUDGE_MODEL: 'openai/named' })
  const told = await judges()
  assert.deepEqual(
    [told.judge, told.source, told.chosen_judge],
    ['openai/named', 'environment', 'openai/tiny'],
  )
  await service.call('DELETE', '/v2/judges/default')
  await restart()
})

test('200 a test really asks: it tells time, tokens and problems in words', async () => {
  const asked = model.requests.length
  const tested = await service.call('POST', '/v2/judges/test', {
    body: { provider: 'openai', model: 'tiny' },
  })
  assert.equal(tested.status, 200, tested.text)
  assert.equal(tested.json.answered, true)
  assert.ok(tested.json.duration_ms >= 0 && tested.json.prompt_tokens > 0)
  assert.equal(model.requests.length, asked + 1)
  // Never from the cache: a person wants to know how it is now.
  await service.call('POST', '/v2/judges/test', { body: { provider: 'openai', model: 'tiny' } })
  assert.equal(model.requests.length, asked + 2)
  for (const [reply, words] of [
    [{ status: 401, body: '{"error":{"message":"Incorrect API key provided"}}' }, /Incorrect API key/],
    [{ status: 503 }, /503|busy|reached/],
    [{ disconnect: true }, /cannot be reached or broke the connection/],
    [{ content: 'Yes, it is.' }, /was reached, but its answer was not the JSON/],
    [{ refusal: true }, /declined/],
  ] as const) {
    model.script(reply)
    const { json } = await service.call('POST', '/v2/judges/test', {
      body: { provider: 'openai', model: 'tiny' },
    })
    assert.equal(json.answered, false)
    assert.match(json.problem, words)
    assert.ok(!json.problem.includes(KEY))
  }
})

test('200 a test with a key that is not stored uses that one and keeps nothing', async () => {
  const body = { provider: 'openai', model: 'tiny', api_key: 'sk-only-tried-0123', base_url: model.url }
  const tested = await service.call('POST', '/v2/judges/test', { body })
  assert.equal(tested.json.answered, true)
  assert.equal(model.requests.at(-1)?.headers['authorization'], 'Bearer sk-only-tried-0123')
  assert.equal((await service.call('GET', PATH)).json.hint, 'wxyz')
  const none = await service.call('POST', '/v2/judges/test', {
    body: { provider: 'google', model: 'gemini' },
  })
  assert.deepEqual([none.status, none.json.answered], [200, false])
  assert.match(none.json.problem, /no judge of the provider google is configured.*Settings, Judges/)
})

for (const [name, body, message] of [
  [
    'a private address',
    { api_key: KEY, base_url: 'http://169.254.169.254' },
    /^invalid input: base_url is not one/,
  ],
  [
    'an address without a key',
    { base_url: model.url },
    /^invalid input: api_key is required beside base_url/,
  ],
  ['no model', { model: '' }, /^invalid input: model /],
  ['an unknown provider', { provider: 'acme' }, /^invalid input: provider must be one of/],
] as const)
  test(`400 for a test with ${name}`, async () => {
    const asked = model.requests.length
    const answer = await service.call('POST', '/v2/judges/test', {
      body: { provider: 'openai', model: 'tiny', ...body },
    })
    assert.equal(answer.status, 400)
    assert.match(answer.json.error, message)
    assert.equal(model.requests.length, asked)
  })

test('200 an address of Azure itself may be named without the operator', async () => {
  const body = { api_key: KEY, base_url: 'https://mine.openai.azure.com' }
  assert.equal((await service.call('PUT', '/v2/provider-keys/azure', { body })).status, 200)
  assert.equal((await service.call('DELETE', '/v2/provider-keys/azure')).status, 204)
})

test('403 for a key that does not administer the organization', async () => {
  const made = await service.call('POST', '/v2/api-keys', {
    body: { name: 'app', scopes: ['read', 'write'] },
  })
  const key = made.json.api_key
  const body = { provider: 'openai', model: 'tiny' }
  assertError(await service.call('PUT', '/v2/judges/default', { key, body }), 403)
  assertError(await service.call('DELETE', '/v2/judges/default', { key }), 403)
  assertError(await service.call('POST', '/v2/judges/test', { key, body }), 403)
})

test('a test counts towards the budget and stops when it is spent', async () => {
  const prices = path.join(temporaryDirectory(), 'prices.json')
  writeFileSync(prices, JSON.stringify({ 'openai/dear': { input: 1_000, output: 1_000 } }))
  await restart({ ASSAY_JUDGE_PRICES: prices })
  await service.call('PUT', '/v2/budgets', { body: { day_usd: 0.001 } })
  const asked = model.requests.length
  const { json } = await service.call('POST', '/v2/judges/test', {
    body: { provider: 'openai', model: 'dear' },
  })
  assert.equal(json.answered, false)
  assert.match(json.problem, /the budget of the project for this day/)
  assert.equal(model.requests.length, asked)
})
