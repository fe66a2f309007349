import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_MS, createTenant, nextId } from '../../../tests/contract/contract-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'

const LIMITS = { evaluatorsMax: 3, versionsMax: 100 }
const definition = {
  provider: 'openai',
  messages: [],
  modelConfig: { model: 'm' },
  inputSchema: [],
  outputSchema: [],
}

test('processes that create at once do not make more evaluators than the limit', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  const results = await race(pair, 8, (storage, index) =>
    storage.createCustomEvaluator(tenant, draft(`slug-${index}`), AT_MS, LIMITS),
  )
  assert.equal(results.filter((result) => result === 'full').length, 5)
  assert.equal((await pair[1].listCustomEvaluators(tenant)).length, 3)
})

test('of creates of one slug in two processes one wins, and the others are told', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  const results = await race(pair, 8, (storage) =>
    storage.createCustomEvaluator(tenant, draft('same'), AT_MS, LIMITS),
  )
  assert.equal(results.filter((result) => result === 'exists').length, 7)
})

test('of changes that start from the same version one is made, and the others are stale', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  const created = await pair[0].createCustomEvaluator(tenant, draft('slug'), AT_MS, LIMITS)
  assert.ok(typeof created === 'object')
  const results = await race(pair, 8, (storage) =>
    storage.changeCustomEvaluator(
      tenant,
      created,
      { newVersion: { versionId: nextId(), definition } },
      AT_MS,
      LIMITS,
    ),
  )
  assert.equal(results.filter((result) => result === 'stale').length, 7)
  assert.equal((await pair[1].listCustomVersions(tenant, created.evaluatorId)).length, 2)
})

function draft(slug: string) {
  return { evaluatorId: nextId(), versionId: nextId(), slug, name: slug, description: '', definition }
}
