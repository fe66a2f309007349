import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRestingService } from '../support/service.ts'
import { assertError, createSetup, entriesOf, readSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()
const E = ['char-count']

const bulk = (setups: unknown, key?: string) =>
  service.call('POST', `${SETUPS}/bulk`, { body: { setups }, ...(key === undefined ? {} : { key }) })

const list = async () => (await service.call('GET', SETUPS)).json

test('200 answers one full setup per item in the order of the request', async () => {
  await createSetup(service, { external_id: 'order-b' })
  const ids = ['order-c', 'order-b', 'order-a', 'order-z', 'order-0']
  const answer = await bulk(ids.map((id) => ({ external_id: id, evaluators: E })))
  assert.equal(answer.status, 200)
  assert.deepEqual(Object.keys(answer.json), ['setups'])
  assert.deepEqual(
    answer.json.setups.map((setup: { external_id: string }) => setup.external_id),
    ids,
  )
  for (const setup of answer.json.setups) {
    assert.deepEqual(await readSetup(service, setup.external_id), setup)
    assert.equal('ok' in setup || 'error' in setup, false)
  }
})

test('200 creates what is new with all its fields', async () => {
  const selector = [{ key: 'k', operator: 'in', values: ['a'], source: 'resource_attributes' }]
  const item = { external_id: 'new', evaluators: ['word-count', 'pii-detector'], selector }
  const [setup] = (await bulk([{ ...item, evaluator_configs: [{ slug: 'pii-detector', scope: 'trace' }] }]))
    .json.setups
  assert.deepEqual(entriesOf(setup), ['word-count', 'pii-detector@trace'])
  assert.deepEqual(setup.init_rules, [{ ...selector[0], op: 'in', value_type: 'string' }])
  assert.equal(setup.entity_type, '')
  assert.equal(setup.status, 'pending')
})

test('200 replaces what exists and keeps id, created_at and the environment', async () => {
  const before = await createSetup(service, {
    external_id: 'old',
    evaluators: ['char-count', 'pii-detector'],
  })
  const item = { external_id: 'old', evaluators: ['word-count'], selector: { a: 1 } }
  const [after] = (await bulk([item])).json.setups
  for (const field of ['id', 'created_at', 'env_project_id', 'project_id', 'org_id']) {
    assert.equal(after[field], before[field], field)
  }
  assert.ok(after.updated_at >= before.updated_at)
  assert.deepEqual(entriesOf(after), ['word-count'])
  assert.equal(after.init_rules.length, 1)
})

test('200 keeps the stored selector and entity of an item that gives none', async () => {
  const before = await createSetup(service, {
    external_id: 'keeps',
    selector: { a: 1, b: 'x' },
    entity_type: 'agent',
    entity_value: 'planner',
  })
  const [after] = (await bulk([{ external_id: 'keeps', evaluators: ['word-count'] }])).json.setups
  assert.deepEqual(after.init_rules, before.init_rules)
  assert.equal(after.entity_type, 'agent')
  assert.equal(after.entity_value, 'planner')
  const [emptied] = (await bulk([{ external_id: 'keeps', evaluators: E, selector: [] }])).json.setups
  assert.deepEqual(emptied.init_rules, [])
})

test('200 gives the same setups when the same batch is sent again', async () => {
  const items = [1, 2, 3].map((n) => ({ external_id: `same-${n}`, evaluators: E, selector: { n } }))
  const first = (await bulk(items)).json.setups
  const second = (await bulk(items)).json.setups
  const timeless = (setup: object) => ({ ...setup, updated_at: '' })
  assert.deepEqual(second.map(timeless), first.map(timeless))
})

for (const [name, bad] of [
  ['an unknown slug', { external_id: 'bad', evaluators: ['nope'] }],
  ['no external_id', { evaluators: E }],
  ['an external_id of the first item', { external_id: 'atomic-new', evaluators: E }],
  ['a bad selector', { external_id: 'bad', evaluators: E, selector: [{ key: 'k' }] }],
  ['a bad config', { external_id: 'bad', evaluators: E, evaluator_configs: [{ slug: 'nope' }] }],
  ['no evaluators', { external_id: 'bad', evaluators: [] }],
  ['null', null],
] as const) {
  test(`400 for a last item with ${name} leaves nothing behind`, async () => {
    await bulk([{ external_id: 'atomic-old', evaluators: ['char-count'], selector: { a: 'kept' } }])
    const before = await list()
    const answer = await bulk([
      { external_id: 'atomic-new', evaluators: E },
      { external_id: 'atomic-old', evaluators: ['word-count'], selector: [] },
      bad,
    ])
    assertError(answer, 400, /^setups\[2\]: /)
    assert.deepEqual(await list(), before)
    assertError(await service.call('GET', setupPath('atomic-new')), 404)
  })
}

test('500 for a write that fails at the last item leaves nothing behind', async () => {
  const other = await startRestingService()
  await createSetup(other, { external_id: 'old', selector: { a: 'kept' } })
  const before = (await other.call('GET', SETUPS)).json
  // The one way to make a write fail from outside: the store itself refuses an external id.
  await other.store.refuse('setups', 'external_id', 'refused')
  const setups = [
    { external_id: 'new', evaluators: E },
    { external_id: 'old', evaluators: ['word-count'], selector: [] },
    { external_id: 'refused', evaluators: E },
  ]
  const answer = await other.call('POST', `${SETUPS}/bulk`, { body: { setups } })
  assertError(answer, 500, 'internal server error')
  assert.deepEqual((await other.call('GET', SETUPS)).json, before)
  assert.equal(
    (await other.call('POST', `${SETUPS}/bulk`, { body: { setups: setups.slice(0, 2) } })).status,
    200,
  )
})

test('400 asks for evaluators also when the setup exists', async () => {
  const before = await createSetup(service, { external_id: 'requires' })
  assertError(await bulk([{ external_id: 'requires', selector: [] }]), 400, /^setups\[0\]: .*evaluators/)
  assert.deepEqual(await readSetup(service, 'requires'), before)
})

test('200 for batches at the same time leaves each setup once and whole', async () => {
  const batches = Array.from({ length: 6 }, (_, n) =>
    Array.from({ length: 10 }, (_, item) => ({
      external_id: `together-${item}`,
      evaluators: E,
      selector: { batch: `${n}` },
    })),
  )
  const answers = await Promise.all(batches.map((items) => bulk(items)))
  for (const answer of answers) assert.equal(answer.status, 200, answer.text)
  const stored = (await list()).filter((setup: { external_id: string }) =>
    setup.external_id.startsWith('together-'),
  )
  assert.equal(stored.length, 10)
  const winners = stored.map((setup: { init_rules: { value: string }[] }) => setup.init_rules[0]?.value)
  assert.equal(new Set(winners).size, 1, 'one batch is the last for all items')
})

test('200 and 201 at the same time for one external_id leave one setup', async () => {
  for (let round = 0; round < 5; round++) {
    const item = { external_id: `mixed-${round}`, evaluators: E }
    const [created, upserted] = await Promise.all([
      service.call('POST', SETUPS, { body: item }),
      bulk([item]),
    ])
    assert.ok(created.status === 201 || created.status === 400)
    assert.equal(upserted.status, 200)
    if (created.status === 201) assert.equal(created.json.id, upserted.json.setups[0].id)
    assert.equal((await service.call('GET', `${SETUPS}?external_id=mixed-${round}`)).json.length, 1)
  }
})

test('200 ignores unknown fields beside setups and in items', async () => {
  const body = {
    colour: 'red',
    setups: [{ external_id: 'unknown', evaluators: E, colour: 'red', id: 'mine' }],
  }
  const answer = await service.call('POST', `${SETUPS}/bulk`, { body })
  assert.equal(answer.status, 200)
  assert.notEqual(answer.json.setups[0].id, 'mine')
})
