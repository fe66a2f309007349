import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { startRestingService, type TestService } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const model = await startFakeModel()
after(() => model.close())
const PROVIDER = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test-00000000' }
const service = await startRestingService(PROVIDER)

const kindness = {
  name: 'Kindness',
  provider: 'openai',
  model: 'tiny',
  messages: [{ role: 'user', content: 'Is {{text}} kind?' }],
  input_schema: [{ name: 'text', type: 'string' }],
  output_schema: [{ name: 'pass', type: 'boolean' }],
}

let counter = 0
async function createEvaluator(on: TestService = service, change: object = {}): Promise<string> {
  const slug = `kindness-${++counter}`
  const { status, json } = await on.call('POST', '/v2/evaluators', { body: { ...kindness, ...change, slug } })
  assert.equal(status, 200, JSON.stringify(json))
  return slug
}

function start(slug: string, body: unknown, on: TestService = service) {
  return on.call('POST', `/v2/evaluators/${slug}/executions`, { body })
}

async function started(slug: string, values: Record<string, unknown>, rest: object = {}) {
  const input_schema_mapping = Object.fromEntries(
    Object.entries(values).map(([name, source]) => [name, { source }]),
  )
  const { status, json } = await start(slug, { input_schema_mapping, ...rest })
  assert.equal(status, 200, JSON.stringify(json))
  return json as { execution_id: string; stream_url: string }
}

test('200 tells where the answer is, and the answer is one document that can be fetched again', async () => {
  const slug = await createEvaluator()
  model.script({ content: { pass: false } })
  const asked = model.requests.length
  const { execution_id, stream_url } = await started(slug, { text: 'You fool.' })
  assert.equal(stream_url, `/executions/${execution_id}`)
  const answer = await service.call('GET', `/v2${stream_url}`, { headers: { accept: 'text/event-stream' } })
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(answer.headers.get('x-assay-judge'), 'openai/tiny')
  assert.deepEqual(answer.json, { execution_id, result: { evaluator_result: { pass: false } } })
  assert.deepEqual((await service.call('GET', `/v2${stream_url}`)).json, answer.json)
  assert.equal(model.requests.length, asked + 1)
})

test('200 for a built-in evaluator, by slug and by id, with settings', async () => {
  const { json } = await service.call('GET', '/v2/evaluators/regex-validator')
  for (const name of ['regex-validator', json.id]) {
    const { stream_url } = await started(
      name,
      { text: 'abc' },
      { evaluator_config: { regex: '^b', should_match: false }, evaluator_version: '1' },
    )
    const answer = await service.call('GET', `/v2${stream_url}`)
    assert.deepEqual(answer.json.result.evaluator_result, { is_valid_regex: true })
  }
})

test('200 takes an input that is missing from a synonym of its name', async () => {
  const slug = await createEvaluator()
  const { stream_url } = await started(slug, { completion: 'a synonym', prompt: 'ignored' })
  assert.equal((await service.call('GET', `/v2${stream_url}`)).status, 200)
  assert.match(JSON.stringify(model.requests.at(-1)?.body), /a synonym/)
})

test('200 runs the version that was the newest when it was accepted, or the one that was asked for', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const slow = await startFakeModel({ answer: () => gate.then(() => undefined) })
  after(() => slow.close())
  const other = await startRestingService({ OPENAI_BASE_URL: slow.url })
  const slug = await createEvaluator(other)
  const body = { input_schema_mapping: { text: { source: 'x' } } }
  const before = (await start(slug, body, other)).json
  const patch = { output_schema: [{ name: 'verdict', type: 'boolean' }] }
  assert.equal((await other.call('PATCH', `/v2/evaluators/${slug}`, { body: patch })).status, 200)
  const newest = (await start(slug, body, other)).json
  const first = (await start(slug, { ...body, evaluator_version: '1' }, other)).json
  open()
  const resultOf = async ({ stream_url }: { stream_url: string }) =>
    (await other.call('GET', `/v2${stream_url}`)).json.result.evaluator_result
  assert.deepEqual(await resultOf(before), { pass: true })
  assert.deepEqual(await resultOf(newest), { verdict: true })
  assert.deepEqual(await resultOf(first), { pass: true })
})

test('200 after a restart for an execution that nobody had run', async () => {
  const dataDir = temporaryDirectory()
  const first = await startRestingService({ ASSAY_DATA_DIR: dataDir })
  const slug = await createEvaluator(first)
  const accepted = await start(slug, { input_schema_mapping: { text: { source: 'x' } } }, first)
  assert.equal(accepted.status, 200)
  const early = await first.call('GET', `/v2${accepted.json.stream_url}`)
  assert.equal(early.status, 503)
  assert.match(early.json.error, /no judge of the provider openai is configured: set OPENAI_API_KEY/)
  await first.close()

  const second = await startRestingService({ ASSAY_DATA_DIR: dataDir, ...PROVIDER })
  const answer = await second.call('GET', `/v2${accepted.json.stream_url}`)
  assert.deepEqual(answer.json.result, { evaluator_result: { pass: true } })
})

test('200 after a restart for an execution that was being run', async () => {
  const hanging = await startFakeModel({ answer: () => ({ hang: true }) })
  after(() => hanging.close())
  const dataDir = temporaryDirectory()
  const first = await startRestingService({ ASSAY_DATA_DIR: dataDir, OPENAI_BASE_URL: hanging.url })
  const slug = await createEvaluator(first)
  const { json } = await start(slug, { input_schema_mapping: { text: { source: 'x' } } }, first)
  while (hanging.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await first.close()

  const second = await startRestingService({ ASSAY_DATA_DIR: dataDir, ...PROVIDER })
  const answer = await second.call('GET', `/v2${json.stream_url}`)
  assert.deepEqual(answer.json.result, { evaluator_result: { pass: true } })
})

test('400 names the input that is missing when the answer is fetched, and again', async () => {
  const slug = await createEvaluator()
  const { stream_url } = await started(slug, { something: 'else' })
  for (let round = 0; round < 2; round++) {
    const answer = await service.call('GET', `/v2${stream_url}`)
    assert.deepEqual([answer.status, answer.json], [400, { error: 'invalid input: input.text is required' }])
  }
})

test('502 when the judge declined, without asking it again', async () => {
  const slug = await createEvaluator()
  model.script({ refusal: true, times: 2 })
  const { stream_url } = await started(slug, { text: 'declined' })
  const first = await service.call('GET', `/v2${stream_url}`)
  assert.equal(first.status, 502)
  model.script()
  const asked = model.requests.length
  const second = await service.call('GET', `/v2${stream_url}`)
  assert.deepEqual([second.status, second.json], [502, first.json])
  assert.equal(model.requests.length, asked)
  await fetch(`${model.url}/script`, { method: 'DELETE' })
})

for (const [name, slug, body, status, message] of [
  ['no mapping', 'char-count', {}, 400, 'invalid input: input_schema_mapping is required'],
  [
    'a mapping without a source',
    'char-count',
    { input_schema_mapping: { text: 'x' } },
    400,
    'invalid input: input_schema_mapping.text must be an object',
  ],
  [
    'an unknown version',
    'char-count',
    { input_schema_mapping: {}, evaluator_version: '77' },
    400,
    'invalid input: evaluator_version 77 of char-count does not exist',
  ],
  ['an unknown evaluator', 'nobody', { input_schema_mapping: {} }, 404, 'evaluator not found'],
] as const) {
  test(`${status} for ${name}`, async () => {
    const answer = await start(slug, body)
    assert.deepEqual([answer.status, answer.json], [status, { error: message }])
  })
}

test('400 for an unknown version of a custom evaluator', async () => {
  const slug = await createEvaluator()
  const answer = await start(slug, { input_schema_mapping: {}, evaluator_version: '2' })
  assert.deepEqual(
    [answer.status, answer.json.error],
    [400, `invalid input: evaluator_version 2 of ${slug} does not exist`],
  )
})

test('404 for an execution or an evaluator of another organization, and for none', async () => {
  const { json } = await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
  const key = json.environments[0].api_key
  const slug = await createEvaluator()
  const { stream_url } = await started(slug, { text: 'secret' })
  for (const [path, options] of [
    [`/v2${stream_url}`, { key }],
    ['/v2/executions/none', {}],
  ] as const) {
    const answer = await service.call('GET', path, options)
    assert.deepEqual([answer.status, answer.json], [404, { error: 'execution not found' }])
  }
  const body = { input_schema_mapping: { text: { source: 'x' } } }
  assert.equal((await service.call('POST', `/v2/evaluators/${slug}/executions`, { key, body })).status, 404)
  assert.equal((await service.call('GET', `/v2${stream_url}`)).status, 200)
})

test('404 while it is running for another organization that knows the id', async () => {
  const { json } = await service.call('POST', '/v2/organizations', { body: { org_name: 'Curious' } })
  const key = json.environments[0].api_key
  const slug = await createEvaluator()
  model.script({ delayMs: 300 })
  const { stream_url } = await started(slug, { text: 'slow secret' })
  assert.equal((await service.call('GET', `/v2${stream_url}`, { key })).status, 404)
  assert.equal((await service.call('GET', `/v2${stream_url}`)).status, 200)
})

test('429 when too many executions of a project wait for their outcome', async () => {
  const dataDir = temporaryDirectory()
  const first = await startRestingService({ ASSAY_DATA_DIR: dataDir })
  const slug = await createEvaluator(first)
  await first.close()
  // The same as a thousand requests without an answer, only quicker.
  const storage = await first.store.open()
  const [organization] = await storage.system.listOrganizations()
  const orgId = organization?.id ?? ''
  const [project] = await storage.listProjects({ orgId })
  const tenant = { orgId, projectId: project?.id ?? '' }
  const waiting = Array.from({ length: 1_000 }, (_, at) => ({
    id: `waiting-${at}`,
    evaluatorId: 'e',
    call: '{}',
    atMs: Date.now(),
  }))
  const limits = { openMax: 1_000, openCharsMax: 10_000 }
  for (let at = 0; at < waiting.length; at += 50) {
    const some = waiting.slice(at, at + 50)
    await Promise.all(some.map((execution) => storage.createExecution(tenant, execution, limits)))
  }
  await storage.close()

  const idle = await startRestingService({ ASSAY_DATA_DIR: dataDir })
  const body = { input_schema_mapping: { text: { source: 'x' } } }
  const full = await start(slug, body, idle)
  assert.deepEqual(
    [full.status, full.json],
    [429, { error: 'too many executions of the project are waiting for their outcome' }],
  )
  assert.ok(Number(full.headers.get('retry-after')) >= 1)
  const { json } = await idle.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
  const key = json.environments[0].api_key
  const others = await idle.call('POST', '/v2/evaluators/char-count/executions', { key, body })
  assert.equal(others.status, 200)
})

test('200 for a key that may only ingest, 403 for one that may only read', async () => {
  const body = { input_schema_mapping: { text: { source: 'x' } } }
  for (const [scope, status] of [
    ['ingest', 200],
    ['read', 403],
  ] as const) {
    const { json } = await service.call('POST', '/v2/api-keys', { body: { name: scope, scopes: [scope] } })
    const answer = await service.call('POST', '/v2/evaluators/char-count/executions', {
      key: json.api_key,
      body,
    })
    assert.equal(answer.status, status)
  }
})
