import assert from 'node:assert/strict'
import { test } from 'node:test'
import { charCount, create, createTenant } from '../../../tests/contract/contract-fixtures.ts'
import { bindSetup } from '../../../tests/contract/result-fixtures.ts'
import { admit, packed } from '../../../tests/contract/span-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import { openRows } from '../../../tests/support/postgres-rows.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Sql } from '../shared/sql.ts'
import { lockProject } from './lock-project.ts'
import { stopMonitorsOf } from './monitor-operations.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** A bound setup that has matched so many batches. */
async function pairWithBatches(count: number) {
  const url = await recycledDatabase()
  const stores = await openPair(url)
  const tenant = await createTenant(stores[0], 'one')
  await bindSetup(stores[0], tenant, 's', { evaluators: [charCount] })
  await admitMany(stores, tenant, count)
  return { stores, tenant, rows: openRows(url) }
}

async function admitMany(
  stores: readonly [Storage, Storage],
  tenant: EnvironmentTenant,
  count: number,
  from = 0,
): Promise<void> {
  const template = await packed(stores[0], tenant, ['span'], true)
  await race(stores, count, (store, index) =>
    admit(store, tenant, { ...template, startSeconds: new Float64Array([from + index]) }),
  )
}

test('the start of a process ends no lease of one that lives', async () => {
  const { stores, tenant } = await pairWithBatches(3)
  const [living, starting] = stores
  const [work] = await living.work.claimWork('local', 1, 60_000)
  assert.ok(work)
  await create(living, tenant, 'other', { evaluators: [charCount] })
  const [claim] = await living.work.claimSetups(1, 60_000, Number.MAX_SAFE_INTEGER)
  assert.ok(claim)
  await starting.work.resume({ versions: { 'char-count': 1 } })
  assert.deepEqual(await starting.work.claimSetups(1, 60_000, Number.MAX_SAFE_INTEGER), [])
  const others = await starting.work.claimWork('local', 10, 60_000)
  assert.equal(others.length, 2)
  assert.ok(others.every(({ batchId }) => batchId !== work.batchId))
  const outcome = { status: 'waiting_for_spans', entries: [], lookedThrough: 0, atMs: 0 } as const
  assert.ok(await living.work.finishSetup(claim, outcome))
  await living.work.recordWork([{ work, outcomes: [], sampledOut: 1 }])
  assert.deepEqual(await living.work.sweep(), { missingWork: 0, staleLeases: 0 })
})

test('the sweep finds nothing missing in what is being written', async () => {
  const { stores, tenant } = await pairWithBatches(1)
  let isDone = false
  const sweeping = (async () => {
    let missing = 0
    while (!isDone) missing += (await stores[1].work.sweep()).missingWork
    return missing
  })()
  for (let round = 0; round < 5; round++) {
    await admitMany(stores, tenant, 40, 100 + round * 100)
    await bindSetup(stores[0], tenant, `later ${round}`, { evaluators: [charCount] })
  }
  isDone = true
  assert.equal(await sweeping, 0)
})

test('what is missing is made once, however many look for it', async () => {
  const { stores, rows } = await pairWithBatches(10)
  assert.equal(await rows.run('DELETE FROM work WHERE batch_id % 2 = 0'), 5)
  const findings = await race(stores, 8, (store) => store.work.sweep())
  assert.equal(
    findings.reduce((sum, { missingWork }) => sum + missingWork, 0),
    5,
  )
  assert.equal((await stores[0].work.claimWork('local', 100, 60_000)).length, 10)
})

test('two that fill in a history leave no batch out, and count what a job has found once', async () => {
  const { stores, rows } = await pairWithBatches(1_300)
  await rows.run(
    `INSERT INTO jobs (number, id, project_number, kind, request, state, place_ms, place_id, last_id, created_at_ms)
     SELECT 7, 'job', number, 'backfill', '{}', 'running', 0, 0, 0, 0 FROM projects`,
  )
  const ofJob = await rows.run('UPDATE matches SET job_number = 7 WHERE batch_id % 3 = 0')
  // As if the monitor had been bound only now.
  await rows.run('DELETE FROM work')
  await rows.run('UPDATE monitors SET fill_next = 1, fill_last = (SELECT max(id) FROM span_batches)')
  assert.equal((await stores[0].work.sweep()).missingWork, 0)
  await race(stores, 4, async (store) => {
    while (await store.work.fillWork());
  })
  const made = await rows.get('SELECT count(*) AS count, sum(unit_count) AS units FROM work')
  assert.deepEqual(made, { count: 1_300, units: 1_300 })
  assert.deepEqual(await rows.get('SELECT queued FROM jobs'), { queued: ofJob })
  assert.equal((await rows.all('SELECT 1 FROM monitors WHERE fill_next <= fill_last')).length, 0)
})

test('nothing is filled in for a monitor that is being stopped', async () => {
  const { stores, tenant, rows } = await pairWithBatches(3)
  await rows.run('DELETE FROM work')
  await rows.run('UPDATE monitors SET fill_next = 1, fill_last = (SELECT max(id) FROM span_batches)')
  const setup = await stores[0].getSetup(tenant, 's')
  const filling = await whileHeld(
    rows,
    tenant,
    (tx) => stopMonitorsOf(tx, [setup?.id ?? ''], { keepsWork: false }, 0),
    () => stores[0].work.fillWork(),
  )
  await filling.done
  assert.deepEqual(await rows.all('SELECT 1 FROM work WHERE state < 2'), [])
})

test('nothing is made for what is being dropped', async () => {
  const { stores, tenant, rows } = await pairWithBatches(3)
  await rows.run('DELETE FROM work')
  const sweeping = await whileHeld(
    rows,
    tenant,
    (tx) => tx.run('DELETE FROM matches'),
    () => stores[0].work.sweep(),
  )
  assert.equal((await sweeping.done).missingWork, 0)
})

/** Begins something while a transaction holds the project and has written, but not committed; it is under way or done then. */
async function whileHeld<T>(
  rows: PostgresDatabase,
  tenant: EnvironmentTenant,
  write: (tx: Sql) => Promise<unknown>,
  begin: () => Promise<T>,
): Promise<{ done: Promise<T> }> {
  return rows.transaction(async (tx) => {
    await lockProject(tx, tenant)
    await write(tx)
    const done = begin()
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 200))])
    return { done }
  })
}
