import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startRestingService } from '../support/service.ts'
import { assertError, createSetup, entriesOf, readSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()
const FULL = {
  evaluators: ['char-count', 'pii-detector'],
  selector: [{ key: 'gen_ai.system', value: 'openai', source: 'span_attributes' }],
  entity_type: 'agent',
  entity_value: 'planner',
}
const CONSTANT = ['id', 'external_id', 'org_id', 'project_id', 'env_project_id', 'created_at'] as const

let counter = 0
/** Creates a full setup, updates it with `body`, and returns it as it was and as it is. */
async function update(body: object) {
  const externalId = `update-${counter++}`
  const before = await createSetup(service, { external_id: externalId, ...FULL })
  const answer = await service.call('PUT', setupPath(externalId), { body })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(await readSetup(service, externalId), answer.json)
  for (const field of CONSTANT) assert.equal(answer.json[field], before[field], field)
  assert.ok(answer.json.updated_at >= before.updated_at)
  return { before, after: answer.json }
}

async function refuseUpdate(body: unknown, message: string | RegExp) {
  const externalId = `refused-${counter++}`
  const before = await createSetup(service, { external_id: externalId, ...FULL })
  assertError(await service.call('PUT', setupPath(externalId), { body }), 400, message)
  assert.deepEqual(await readSetup(service, externalId), before)
}

test('200 for {} changes nothing but the time of the update', async () => {
  const { before, after } = await update({})
  assert.deepEqual({ ...after, updated_at: before.updated_at }, before)
})

test('200 replaces the evaluators and keeps the rest', async () => {
  const { before, after } = await update({ evaluators: ['word-count'] })
  assert.deepEqual(entriesOf(after), ['word-count'])
  assert.deepEqual(after.init_rules, before.init_rules)
  assert.equal(after.entity_type, 'agent')
  assert.equal(after.entity_value, 'planner')
})

test('200 replaces the selector and keeps the rest', async () => {
  const { before, after } = await update({ selector: { 'service.name': 'shop' } })
  assert.deepEqual(
    after.init_rules.map((rule: { key: string }) => rule.key),
    ['service.name'],
  )
  assert.deepEqual(after.evaluators, before.evaluators)
  assert.equal(after.entity_value, 'planner')
})

test('200 removes all rules with an empty selector', async () => {
  assert.deepEqual((await update({ selector: [] })).after.init_rules, [])
  assert.deepEqual((await update({ selector: {} })).after.init_rules, [])
})

test('200 replaces entity_type and entity_value one by one, also by an empty string', async () => {
  const { before, after } = await update({ entity_value: '' })
  assert.equal(after.entity_type, 'agent')
  assert.equal(after.entity_value, '')
  assert.deepEqual(after.evaluators, before.evaluators)
  assert.deepEqual(after.init_rules, before.init_rules)
  const type = await update({ entity_type: 'workflow' })
  assert.equal(type.after.entity_type, 'workflow')
  assert.equal(type.after.entity_value, 'planner')
})

test('200 ignores unknown fields and fields that the service assigns', async () => {
  const { after } = await update({
    id: 'mine',
    project_id: 'mine',
    env_project_id: 'mine',
    status: 'completed',
  })
  assert.equal(after.status, 'pending')
})

test('200 moves updated_at on and never created_at', async () => {
  const created = await createSetup(service, { external_id: 'times' })
  let last = created.updated_at
  for (let n = 0; n < 5; n++) {
    const { json } = await service.call('PUT', setupPath('times'), { body: { entity_type: `${n}` } })
    assert.ok(json.updated_at >= last)
    assert.equal(json.created_at, created.created_at)
    last = json.updated_at
  }
})

test('400 for an empty list of evaluators', () =>
  refuseUpdate({ evaluators: [] }, 'invalid input: evaluators must contain at least one item'))

test('400 for an unknown slug', () =>
  refuseUpdate(
    { evaluators: ['char-count', 'nope'] },
    'invalid input: evaluators[1]: unknown evaluator slug nope',
  ))

test('400 for a bad selector leaves the good fields beside it unwritten', () =>
  refuseUpdate(
    { evaluators: ['word-count'], selector: [{ key: 'k', source: 'span_attributes' }] },
    'invalid input: selector[0]: value is required when operator is equals',
  ))

for (const [name, body] of [
  ['evaluators that are a string', { evaluators: 'char-count' }],
  ['an entity_type that is a number', { entity_type: 1 }],
  ['evaluator_configs that are an object', { evaluator_configs: {} }],
] as const) {
  test(`400 for ${name}`, () => refuseUpdate(body, /^invalid input: /))
}

test('200 keeps env_project_id when a key of another environment updates', async () => {
  const created = await createSetup(service, { external_id: 'shared' })
  const { project_id: projectId } = created
  const environment = await service.call('POST', `/v2/projects/${projectId}/environments`, {
    body: { slug: 'stg' },
  })
  assert.equal(environment.status, 201, environment.text)
  const made = await service.call('POST', '/v2/api-keys', {
    body: { environment: 'stg', scopes: ['read', 'write'] },
  })
  assert.equal(made.status, 201, made.text)
  const key = made.json.api_key as string

  const mine = await createSetup(service, { external_id: 'of-stg' }, key)
  assert.equal(mine.project_id, projectId)
  assert.equal(mine.env_project_id, environment.json.env_project_id)
  assert.notEqual(mine.env_project_id, created.env_project_id)

  assert.deepEqual(await readSetup(service, 'shared', key), created)
  const put = await service.call('PUT', setupPath('shared'), { key, body: { entity_type: 'x' } })
  assert.equal(put.status, 200)
  assert.equal(put.json.env_project_id, created.env_project_id)
  const setups = [
    { external_id: 'shared', evaluators: ['word-count'] },
    { external_id: 'bulk-of-stg', evaluators: ['word-count'] },
  ]
  const bulk = await service.call('POST', `${SETUPS}/bulk`, { key, body: { setups } })
  assert.equal(bulk.json.setups[0].env_project_id, created.env_project_id)
  assert.equal(bulk.json.setups[0].id, created.id)
  assert.equal(bulk.json.setups[0].created_at, created.created_at)
  assert.equal(bulk.json.setups[1].env_project_id, environment.json.env_project_id)

  const body = { external_id: 'shared', evaluators: ['char-count'] }
  assertError(
    await service.call('POST', SETUPS, { key, body }),
    400,
    'invalid input: external_id shared already exists',
  )
  const lists = await Promise.all([FIRST_KEY, key].map((each) => service.call('GET', SETUPS, { key: each })))
  assert.deepEqual(lists[0]?.json, lists[1]?.json)
  assert.equal((await service.call('DELETE', setupPath('of-stg'))).status, 204)
})

test('200 keeps one of two updates at the same time, whole', async () => {
  await createSetup(service, { external_id: 'put-race' })
  const bodies = Array.from({ length: 8 }, (_, n) => ({ entity_type: `t${n}`, entity_value: `t${n}` }))
  const answers = await Promise.all(
    bodies.map((body) => service.call('PUT', setupPath('put-race'), { body })),
  )
  for (const { status } of answers) assert.equal(status, 200)
  const after = await readSetup(service, 'put-race')
  assert.equal(after.entity_type, after.entity_value)
})
