import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startRestingService, type TestService } from '../support/service.ts'
import { until } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

/** A provider that answers nothing until it is told how. */
async function startSilentProvider() {
  const waiting: http.ServerResponse[] = []
  const server = http.createServer((_request, response) => void waiting.push(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    fail: () => waiting.splice(0).forEach((response) => void response.writeHead(500).end('{}')),
  }
}

const provider = await startSilentProvider()
const service = await startRestingService({
  ASSAY_JUDGE_MODEL: 'openai/tiny',
  ASSAY_JUDGE_BASE_URL: provider.url,
  ASSAY_JUDGE_CONCURRENCY: '1',
  ASSAY_PRIVACY_GATE: 'on',
  ASSAY_SECRETS_KEY: randomBytes(32).toString('base64'),
})

async function judges(on: TestService, key?: string): Promise<Json> {
  const answer = await on.call('GET', '/v2/judges', key === undefined ? {} : { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

async function newTenant(): Promise<string> {
  const { json } = await service.call('POST', '/v2/organizations', { body: { org_name: 'Tenant' } })
  return json.environments[0].api_key
}

test('200 tells who judges, who is configured and what is replaced', async () => {
  const told = await judges(service)
  assert.equal(told.judge, 'openai/tiny')
  assert.equal(told.privacy_gate, 'on')
  assert.deepEqual(told.providers, [
    { provider: 'openai', configured_by: 'operator', state: 'ready', used_slots: 0, waiting_calls: 0 },
  ])
})

test('200 without a provider tells how good the embedded judge is, and where monitors use it', async () => {
  const told = await judges(await startRestingService())
  assert.deepEqual([told.judge, told.providers, told.privacy_gate], ['embedded', [], 'off'])
  assert.equal(told.embedded.mode, 'on')
  for (const each of told.embedded.evaluators) {
    assert.equal(each.scores_in_monitors, (each.balanced_accuracy ?? 0) >= 0.75, each.evaluator_type)
  }
  assert.ok(told.embedded.evaluators.some((each: Json) => each.scores_in_monitors))
  assert.ok(told.embedded.evaluators.some((each: Json) => !each.scores_in_monitors))
  assert.ok(!told.embedded.evaluators.some((each: Json) => each.evaluator_type === 'char-count'))
})

test('200 with the embedded judge off: nobody judges, nothing scores', async () => {
  const told = await judges(await startRestingService({ ASSAY_EMBEDDED_JUDGE: 'off' }))
  assert.deepEqual([told.judge, told.embedded.mode], [null, 'off'])
  assert.ok(told.embedded.evaluators.every((each: Json) => !each.scores_in_monitors))
})

test('200 with the embedded judge always: it scores also where it is not good enough', async () => {
  const { embedded } = await judges(await startRestingService({ ASSAY_EMBEDDED_JUDGE: 'always' }))
  const isWeak = (each: Json) => each.balanced_accuracy !== null && each.balanced_accuracy < 0.75
  const weak = embedded.evaluators.filter(isWeak)
  assert.ok(weak.length > 0)
  assert.ok(weak.every((each: Json) => each.scores_in_monitors))
})

test("an organization's own key is the only one shown of its provider, and never itself", async () => {
  const key = await newTenant()
  const body = { api_key: 'sk-very-secret-of-the-tenant' }
  for (const name of ['openai', 'anthropic']) {
    assert.equal((await service.call('PUT', `/v2/provider-keys/${name}`, { key, body })).status, 200)
  }
  // Keys are known for a few seconds before they are looked up again.
  const told = await until(service, '/v2/judges', ({ providers }) => providers.length === 2, key)
  assert.deepEqual(
    told.providers.map((each: Json) => [each.provider, each.configured_by]),
    [
      ['openai', 'organization'],
      ['anthropic', 'organization'],
    ],
  )
  assert.ok(!JSON.stringify(told).includes('sk-very'))
  const other = await judges(service, await newTenant())
  assert.deepEqual(
    other.providers.map((each: Json) => [each.provider, each.configured_by]),
    [['openai', 'operator']],
  )
})

test('calls under way and waiting are those of the asking organization; the state is shared', async () => {
  const [busy, calm] = [await newTenant(), await newTenant()]
  const calls = ['one', 'two'].map((completion) =>
    service.call('POST', '/v2/evaluators/answer-relevancy/execute', {
      key: busy,
      body: { input: { question: 'Is it raining in Bergen?', answer: `It is, says ${completion}.` } },
    }),
  )
  const isFull = ({ providers: [openai] }: Json) => openai.used_slots === 1 && openai.waiting_calls >= 1
  await until(service, '/v2/judges', isFull, busy)
  const [seen] = (await judges(service, calm)).providers
  assert.deepEqual([seen.state, seen.used_slots, seen.waiting_calls], ['ready', 0, 0])

  const failing = setInterval(provider.fail, 10)
  const isFailing = ({ providers: [openai] }: Json) => openai.state === 'failing'
  await until(service, '/v2/judges', isFailing, calm)
  await Promise.all(calls)
  clearInterval(failing)
})

test('403 for a key that may not read', async () => {
  const made = await service.call('POST', '/v2/api-keys', { body: { name: 'sender', scopes: ['ingest'] } })
  assertError(await service.call('GET', '/v2/judges', { key: made.json.api_key }), 403)
})
