import assert from 'node:assert/strict'
import { test } from 'node:test'
import { charCount, create, createTenant } from '../../../tests/contract/contract-fixtures.ts'
import { packed } from '../../../tests/contract/span-fixtures.ts'
import { openPair } from '../../../tests/support/postgres-pair.ts'
import { openRows } from '../../../tests/support/postgres-rows.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { PublicError } from '../../lib/public-error.ts'
import { AdmissionDesk } from './admission-desk.ts'
import { lockProject } from './lock-project.ts'
import type { Transaction } from './parameters.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** A desk that tells how many transactions it made. */
async function openDesk() {
  const url = await recycledDatabase()
  const [storage] = await openPair(url)
  const rows = openRows(url)
  const counted = { transactions: 0 }
  const desk = new AdmissionDesk({
    transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      counted.transactions++
      return rows.transaction(work)
    },
  })
  return { storage, rows, desk, counted, tenant: await createTenant(storage, 'one') }
}

test('batches that arrive while one is being stored share the next transaction, each with its own answer', async () => {
  const { storage, desk, counted, tenant } = await openDesk()
  const batches = await Promise.all(
    Array.from({ length: 30 }, (_, index) => packed(storage, tenant, ['common', `span ${index}`])),
  )
  const admissions = await Promise.all(batches.map((batch) => desk.admit(tenant, batch)))
  assert.equal(counted.transactions, 2)
  const stored = admissions.filter((admission) => admission !== 'stale')
  assert.equal(stored.length, 30)
  assert.deepEqual(
    stored.map(({ newSpans }) => newSpans),
    [2, ...Array.from({ length: 29 }, () => 1)],
  )
  const ids = stored.map(({ batchId }) => batchId)
  const batch = await storage.readBatches(tenant, ids)
  assert.equal(batch.length, 30)
})

test('each batch of a group keeps its own bytes, faults, decisions and environment', async () => {
  const { storage, rows, desk, tenant } = await openDesk()
  await create(storage, tenant, 's', { evaluators: [charCount] })
  const given = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => ({
      ...(await packed(storage, tenant, [`span ${index}`], index % 2 === 0)),
      bytes: Buffer.alloc(index + 1, index),
      byteLength: index,
      knownFaults: index % 3 === 0 ? [index] : [],
    })),
  )
  const admissions = await Promise.all(given.map((batch) => desk.admit(tenant, batch)))
  const ids = admissions.map((admission) => (admission === 'stale' ? 0 : admission.batchId))
  const stored = (await storage.readBatches(tenant, ids)).toSorted(
    (left, right) => left.batchId - right.batchId,
  )
  assert.deepEqual(
    stored.map(({ batchId, bytes, byteLength, knownFaults, envProjectId }) => [
      batchId,
      [...bytes],
      byteLength,
      knownFaults,
      envProjectId,
    ]),
    given.map(({ bytes, byteLength, knownFaults }, at) => [
      ids[at],
      [...bytes],
      byteLength,
      knownFaults,
      tenant.envProjectId,
    ]),
  )
  const matches = await rows.all<{ batch_id: number }>('SELECT batch_id FROM matches ORDER BY batch_id')
  assert.deepEqual(
    matches.map((match) => match.batch_id),
    ids.filter((_, at) => at % 2 === 0),
  )
})

test('one that is refused or fails takes nothing of its neighbours with it', async () => {
  const { storage, desk, tenant } = await openDesk()
  await create(storage, tenant, 's', { evaluators: [charCount] })
  const [setup] = (await storage.readCatalogue(tenant)).current
  const match = { setupVersion: setup?.setupVersion ?? 0, units: new Uint8Array([1]) }
  const broken = { ...(await packed(storage, tenant, ['broken'])), matches: [match, match] }
  const old = { ...(await packed(storage, tenant, ['old'])), revision: 0 }
  const outcomes = await Promise.allSettled([
    desk.admit(tenant, await packed(storage, tenant, ['first'])),
    desk.admit(tenant, await packed(storage, tenant, ['a'])),
    desk.admit(tenant, broken),
    desk.admit(tenant, old),
    desk.admit(tenant, await packed(storage, tenant, ['b'])),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'rejected' ? 'failed' : outcome.value === 'stale')),
    [false, false, 'failed', true, false],
  )
  const range = { fromSecond: 0, toSecond: Number.MAX_SAFE_INTEGER, isDescending: false, limit: 10 }
  assert.equal((await storage.listSpanRefs(tenant, range)).length, 3)
})

for (const [what, large] of Object.entries({
  bytes: { bytes: new Uint8Array(5 * 1024 * 1024) },
  spans: {
    ids: new Uint8Array(24 * 15_000),
    startSeconds: Float64Array.from({ length: 15_000 }, (_, at) => at),
  },
})) {
  test(`a batch with many ${what} is stored alone`, async () => {
    const { storage, desk, counted, tenant } = await openDesk()
    const batches = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => ({ ...(await packed(storage, tenant, [name])), ...large })),
    )
    await Promise.all(batches.map((batch) => desk.admit(tenant, batch)))
    assert.equal(counted.transactions, 3)
  })
}

test('projects do not wait for each other', async () => {
  const { storage, rows, desk, tenant } = await openDesk()
  const stranger = await createTenant(storage, 'stranger')
  const [batch, strange] = [await packed(storage, tenant, ['a']), await packed(storage, stranger, ['a'])]
  await rows.transaction(async (tx) => {
    await lockProject(tx, tenant)
    const waiting = desk.admit(tenant, batch).then(() => 'stored')
    assert.notEqual(await desk.admit(stranger, strange), 'stale')
    assert.equal(await Promise.race([waiting, 'waits']), 'waits')
  })
})

test('when the database is away, nobody is tried again', async () => {
  let attempts = 0
  const away: Pick<PostgresDatabase, 'transaction'> = {
    async transaction() {
      attempts++
      await new Promise((resolve) => setTimeout(resolve, 5))
      throw new PublicError('unavailable', 'away')
    },
  }
  const desk = new AdmissionDesk(away)
  const { storage, tenant } = await openDesk()
  const batch = await packed(storage, tenant, ['a'])
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => desk.admit(tenant, batch)))
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.equal(attempts, 2)
})
