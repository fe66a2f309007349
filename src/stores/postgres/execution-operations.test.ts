import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_MS, createTenant, nextId } from '../../../tests/contract/contract-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'

test('processes that accept executions at once do not accept more than the limit', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  const results = await race(pair, 12, (storage) =>
    storage.createExecution(
      tenant,
      { id: nextId(), evaluatorId: 'e', call: '{}', atMs: AT_MS },
      { openMax: 3, openCharsMax: 1_000 },
    ),
  )
  assert.equal(results.filter((result) => result === 'created').length, 3)
})

test('of two outcomes of one execution the first one stays', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  const limits = { openMax: 3, openCharsMax: 1_000 }
  const execution = { id: nextId(), evaluatorId: 'e', call: '{}', atMs: AT_MS }
  await pair[0].createExecution(tenant, execution, limits)
  await pair[1].finishExecution(tenant, execution.id, 'first')
  await pair[0].finishExecution(tenant, execution.id, 'second')
  assert.equal((await pair[1].getExecution(tenant, execution.id, AT_MS))?.outcome, 'first')
})
