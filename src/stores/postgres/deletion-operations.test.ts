import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AT_MS, type StorageHarness } from '../../../tests/contract/contract-fixtures.ts'
import {
  eraseAll,
  namesOf,
  spanWith,
  store,
  sumUp,
  traceIdOf,
} from '../../../tests/contract/deletion-fixtures.ts'
import { boundStore, claim, fullStore, outcomesOf, range } from '../../../tests/contract/deletion-store.ts'
import { openPair } from '../../../tests/support/postgres-pair.ts'
import { openRows } from '../../../tests/support/postgres-rows.ts'
import { emptyDatabase } from '../../../tests/support/postgres-store.ts'
import { untilSomebodyWaits } from '../../../tests/support/postgres-waiting.ts'
import { RETENTION_HOURS_MAX } from '../../domain/tenant.ts'
import type { Storage } from '../../ports/storage.ts'
import { LOCK_CLASS, lockProject } from './lock-project.ts'
import { beginRecording } from './recording-order.ts'

/** Two processes on one database; the first has what the contract needs. */
async function pair() {
  const url = await emptyDatabase()
  const [one, two] = await openPair(url)
  const harness = { name: 'two processes', open: async () => one } as StorageHarness
  return { harness, one, two, rows: openRows(url) }
}

async function evaluationsOf(storage: Storage, tenant: Parameters<Storage['listEvaluations']>[0]) {
  return (await storage.listEvaluations(tenant, {}, range)).evaluations
}

describe('deletions of several processes', () => {
  test('leave nothing that another process records at the same time', async () => {
    const { harness, one, two, rows } = await pair()
    const { tenant, monitorId } = await boundStore(harness)
    for (let round = 0; round < 12; round++) {
      const trace = `gone ${round}`
      await store(one, tenant, [spanWith(trace, 'span', randomBytes(8))])
      await sumUp(one)
      const [work] = await claim(one)
      assert.ok(work)
      const outcomes = outcomesOf(work, [[trace, 'span']], 'x')
      const record = () => one.work.recordWork([{ work, outcomes, sampledOut: 0 }])
      const erase = async () => {
        await two.deleteTrace(tenant, traceIdOf(trace), AT_MS)
        await eraseAll(two)
      }
      await Promise.all(round % 2 === 0 ? [record(), erase()] : [erase(), record()])
    }
    assert.deepEqual(await rows.all('SELECT 1 FROM evaluations'), [])
    assert.deepEqual((await two.getMonitor(tenant, monitorId))?.counts, {})
  })

  test('wait for what is being recorded', async () => {
    const { harness, one, two, rows } = await pair()
    const { tenant } = await boundStore(harness)
    await store(one, tenant, [spanWith('gone', 'span', randomBytes(8))])
    await sumUp(one)
    const project = await rows.get<{ number: number }>('SELECT number FROM projects')
    let isDeleted = false
    let deleting: Promise<unknown> = Promise.resolve()
    await rows.transaction(async (tx) => {
      await beginRecording(tx, [project?.number ?? 0])
      deleting = two.deleteTrace(tenant, traceIdOf('gone'), AT_MS).then(() => {
        isDeleted = true
      })
      await untilSomebodyWaits(rows)
      assert.equal(isDeleted, false)
    })
    await deleting
  })

  test('name a batch that is still being stored as the newest', async () => {
    const { harness, two, rows } = await pair()
    const { tenant } = await boundStore(harness)
    let deleting: Promise<number> = Promise.resolve(0)
    let stored = 0
    await rows.transaction(async (tx) => {
      const { number } = await lockProject(tx, tenant)
      const batch = await tx.get<{ id: number }>(
        `INSERT INTO span_batches (project_number, env_project_id, revision, received_at_ms, span_count, byte_length, bytes)
         VALUES ($1, $2, 1, $3, 1, 1, 'x') RETURNING id`,
        number,
        tenant.envProjectId,
        AT_MS,
      )
      stored = batch?.id ?? 0
      deleting = two.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
      await untilSomebodyWaits(rows)
    })
    assert.equal(await deleting, stored)
  })

  test('are not said to be erased while another process is at it', async () => {
    const { harness, one, rows } = await pair()
    const { tenant } = await fullStore(harness)
    await one.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    let erasing: Promise<boolean> = Promise.resolve(false)
    await rows.transaction(async (tx) => {
      await tx.run('SELECT pg_advisory_xact_lock($1, 0)', LOCK_CLASS.erasure)
      erasing = one.erasure.eraseDeleted(AT_MS)
      await untilSomebodyWaits(rows)
    })
    assert.equal(await erasing, true)
  })

  test('hide also what another process takes in at the same time', async () => {
    const { harness, one, two } = await pair()
    const { tenant } = await boundStore(harness)
    for (let round = 0; round < 8; round++) {
      const spans = [spanWith('gone', `span ${round}`, randomBytes(8))]
      await Promise.all([store(one, tenant, spans), two.deleteTrace(tenant, traceIdOf('gone'), AT_MS)])
    }
    await sumUp(one)
    await eraseAll(two)
    assert.deepEqual(await namesOf(one, tenant), [])
    assert.equal(await two.getTrace(tenant, traceIdOf('gone')), undefined)
  })

  test('are erased once when two processes do it, and both can rely on the answer that nothing is left', async () => {
    const { harness, one, two, rows } = await pair()
    const { tenant, monitorId } = await fullStore(harness)
    await one.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    await Promise.all(
      [one, two].map(async (storage) => {
        await eraseAll(storage)
        assert.deepEqual(await rows.all('SELECT 1 FROM erasures'), [])
        assert.deepEqual(await rows.all('SELECT 1 FROM deleted_traces WHERE has_results = 1'), [])
      }),
    )
    assert.deepEqual((await two.getMonitor(tenant, monitorId))?.counts, { scored: 2 })
    assert.deepEqual(await namesOf(two, tenant), ['kept 1', 'kept 2'])
  })

  test('of all data of a project leave nothing to who still works on it', async () => {
    const { harness, one, two, rows } = await pair()
    const { tenant, monitorId } = await boundStore(harness)
    for (let round = 0; round < 6; round++) {
      await store(one, tenant, [spanWith(`trace ${round}`, 'span', randomBytes(8))])
      const [work] = await claim(one)
      assert.ok(work)
      const outcomes = outcomesOf(work, [[`trace ${round}`, 'span']], 'x')
      await Promise.all([
        one.work.recordWork([{ work, outcomes, sampledOut: 0 }]),
        sumUp(one).catch(() => {}),
        two.deleteProjectData(tenant, AT_MS),
      ])
      assert.deepEqual(await evaluationsOf(one, tenant), [])
      assert.deepEqual(await namesOf(one, tenant), [])
    }
    await eraseAll(one)
    for (const table of ['evaluations', 'span_batches', 'spans', 'traces', 'trace_places', 'work', 'matches'])
      assert.deepEqual(await rows.all(`SELECT 1 FROM ${table}`), [], table)
    assert.deepEqual((await two.getMonitor(tenant, monitorId))?.counts, {})
  })

  test('are forgotten in steps when nothing of them could come in any more', async () => {
    const { one, rows } = await pair()
    await rows.exec(`
      INSERT INTO deleted_traces SELECT 1, int8send(n), CASE WHEN n > 2500 THEN 1 ELSE 0 END, 0 FROM generate_series(1, 2510) n;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) > 1000 FROM gone) THEN RAISE EXCEPTION 'too many at once'; END IF; RETURN NULL; END $$;
      CREATE TRIGGER few AFTER DELETE ON deleted_traces REFERENCING OLD TABLE AS gone EXECUTE FUNCTION refuse();`)
    while (await one.erasure.eraseDeleted(RETENTION_HOURS_MAX * 3_600_000 + 1));
    assert.deepEqual(await rows.get('SELECT count(*) AS rows FROM deleted_traces'), { rows: 10 })
  })

  test('have the server clean up what it still has of erased rows, once for many', async () => {
    const { harness, one, rows } = await pair()
    const { tenant } = await fullStore(harness)
    const vacuums = async () => {
      const row = await rows.get<{ times: number }>(
        "SELECT sum(vacuum_count) AS times FROM pg_stat_user_tables WHERE relname IN ('traces', 'evaluations_rest')",
      )
      return row?.times ?? 0
    }
    assert.equal(await vacuums(), 0)
    await one.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    await eraseAll(one)
    while ((await vacuums()) < 2) await sleep(10)
    await one.deleteTrace(tenant, traceIdOf('kept'), AT_MS)
    await eraseAll(one)
    await sleep(100)
    assert.equal(await vacuums(), 2)
    assert.deepEqual(await rows.get('SELECT is_dirty FROM erasure_progress'), { is_dirty: 1 })
  })
})
