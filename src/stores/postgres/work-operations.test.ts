import assert from 'node:assert/strict'
import { test } from 'node:test'
import { charCount, createTenant, wordCount } from '../../../tests/contract/contract-fixtures.ts'
import { bindSetup } from '../../../tests/contract/result-fixtures.ts'
import { admit, packed } from '../../../tests/contract/span-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import { openRows } from '../../../tests/support/postgres-rows.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import type { Storage } from '../../ports/storage.ts'
import type { ClaimedWork } from '../../ports/work-storage.ts'
import type { Sql, SqlValue } from '../shared/sql.ts'
import { claimWork } from './work-operations.ts'

const BATCHES = 60
const MANY = 1_500

/** Batches that two monitors have to evaluate, and the database that they are in. */
async function pairWithWork(): Promise<{ url: string; stores: readonly [Storage, Storage] }> {
  const url = await recycledDatabase()
  const stores = await openPair(url)
  const tenant = await createTenant(stores[0], 'one')
  await bindSetup(stores[0], tenant, 's', { evaluators: [charCount, wordCount] })
  await race(stores, BATCHES, async (store, index) =>
    admit(store, tenant, await packed(stores[0], tenant, [`span ${index}`], true)),
  )
  return { url, stores }
}

const keyOf = ({ batchId, monitorVersion }: ClaimedWork) => `${batchId} ${monitorVersion}`

test('no piece of work is handed out twice, and all the work of a batch goes to one worker', async () => {
  const { stores } = await pairWithWork()
  const claims: ClaimedWork[][] = []
  await race(stores, 12, async (store) => {
    for (;;) {
      const work = await store.work.claimWork('local', 3, 60_000)
      if (work.length === 0) return
      claims.push(work)
    }
  })
  const all = claims.flat()
  assert.equal(all.length, 2 * BATCHES)
  assert.equal(new Set(all.map(keyOf)).size, 2 * BATCHES)
  assert.equal(new Set(all.map(({ lease }) => lease)).size, 2 * BATCHES)
  for (const work of claims) {
    const batches = new Set(work.map(({ batchId }) => batchId))
    assert.ok(batches.size <= 3)
    assert.equal(work.length, 2 * batches.size)
  }
})

test('who comes while another is claiming takes other batches and does not wait', async () => {
  const { url, stores } = await pairWithWork()
  const rows = openRows(url)
  await rows.transaction(async (tx) => {
    const held = await tx.all<{ batch_id: number }>(
      'SELECT batch_id FROM work ORDER BY batch_id, monitor_version LIMIT 4 FOR UPDATE',
    )
    const work = await stores[1].work.claimWork('local', 2, 60_000)
    assert.equal(work.length, 4)
    const taken = new Set(work.map(({ batchId }) => batchId))
    assert.deepEqual(
      held.filter((row) => taken.has(row.batch_id)),
      [],
    )
  })
})

test('work that is given back by one is done by the other, and the first can do nothing with it any more', async () => {
  const { stores } = await pairWithWork()
  const work = await stores[0].work.claimWork('local', BATCHES, 60_000)
  await race(stores, 10, (store) => store.work.retryWork(work, 0))
  const again = await stores[1].work.claimWork('local', BATCHES, 60_000)
  assert.deepEqual(again.map(keyOf), work.map(keyOf))
  await stores[0].work.retryWork(work, 0)
  assert.deepEqual(await stores[0].work.claimWork('local', BATCHES, 60_000), [])
  assert.ok(again.every(({ attempt }) => attempt === 2))
})

/** A step of a plan, as EXPLAIN tells it after it has run. */
interface PlanStep {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanStep[]
}

function mostRows(step: PlanStep): number {
  return Math.max(step['Actual Rows'] * step['Actual Loops'], ...(step.Plans ?? []).map(mostRows))
}

test('a claim looks at what is open, however much has been done before it', async () => {
  const { url } = await pairWithWork()
  const rows = openRows(url)
  // The planner's statistics after a while make it prefer other plans than in a new installation.
  await rows.exec(`
    INSERT INTO span_batches (id, project_number, env_project_id, revision, received_at_ms, span_count, byte_length, bytes)
      SELECT -n, project_number, env_project_id, 1, 0, 1, 1, 'x'
      FROM generate_series(1, ${3 * MANY}) n, (SELECT project_number, env_project_id FROM span_batches LIMIT 1);
    INSERT INTO work (batch_id, monitor_version, units, unit_count, state)
      SELECT -n, version_number, 'x', 1, CASE WHEN n > ${MANY} THEN 2 ELSE 0 END FROM generate_series(1, ${3 * MANY}) n, monitors;
    ANALYZE`)
  const steps: number[] = []
  const explaining = {
    async all(sql: string, ...values: SqlValue[]) {
      const [row] = await rows.all<{ 'QUERY PLAN': [{ Plan: PlanStep }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        ...values,
      )
      if (row) steps.push(mostRows(row['QUERY PLAN'][0].Plan))
      return []
    },
  } as unknown as Sql
  await claimWork(explaining, 1, 'local', 3, 60_000)
  assert.equal(steps.length, 2, 'live work and work of jobs')
  for (const step of steps) assert.ok(step < 100, `${step} rows in one step`)
})
