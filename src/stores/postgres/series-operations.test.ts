import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { databaseWithMonitors, RESULTS_SCOPE as tenant } from '../../../tests/support/postgres-results.ts'
import { ValueSketch } from '../../lib/value-sketch.ts'
import { readSeries } from '../shared/series-operations.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { readProgress } from './waiting-spans.ts'

const MINUTE_MS = 60_000

async function storeWithMonitors(count: number): Promise<PostgresDatabase> {
  const { db } = await databaseWithMonitors(count)
  after(() => db.close())
  return db
}

async function addMinute(db: PostgresDatabase, minute: number, sum: number): Promise<void> {
  const sketch = new ValueSketch()
  sketch.add(sum)
  await db.run("INSERT INTO status_rollups VALUES (1, $1, 'scored', 1)", minute)
  await db.run(
    "INSERT INTO value_rollups VALUES (1, $1, 'v', 1, $2, $2, $2, $3, NULL)",
    minute,
    sum,
    sketch.encode(),
  )
}

describe('a series', () => {
  for (const [name, values] of [
    ['that are very large', [1.7e308, -1.7e308, 1e300, 5]],
    ['that are very small', [5e-324, 5e-324, 1e-300]],
  ] as const) {
    test(`adds up numbers ${name}`, async () => {
      const db = await storeWithMonitors(1)
      for (const [minute, value] of values.entries()) await addMinute(db, minute, value)
      const query = { monitorId: 'monitor-1', property: 'v', fromMs: 0, toMs: 10 * MINUTE_MS }
      const [bucket] = await readSeries(db, tenant, { ...query, bucketMs: 10 * MINUTE_MS })
      const sum = values.reduce((total, value) => total + value, 0)
      assert.ok(
        bucket?.sum !== undefined && Math.abs(bucket.sum - sum) <= Math.abs(sum) * 1e-12,
        `${bucket?.sum}`,
      )
      assert.deepEqual([bucket.min, bucket.max], [Math.min(...values), Math.max(...values)])
    })
  }

  test('tells a sum that no number can hold', async () => {
    const db = await storeWithMonitors(1)
    for (const minute of [0, 1]) await addMinute(db, minute, 1.7e308)
    const query = { monitorId: 'monitor-1', property: 'v', fromMs: 0, toMs: 10 * MINUTE_MS }
    const [bucket] = await readSeries(db, tenant, { ...query, bucketMs: 10 * MINUTE_MS })
    assert.equal(bucket?.sum, Number.POSITIVE_INFINITY)
  })

  test('merges the histograms of more minutes than are read at a time', async () => {
    const db = await storeWithMonitors(1)
    const sketch = new ValueSketch()
    sketch.add(7)
    await db.run("INSERT INTO status_rollups SELECT 1, n, 'scored', 1 FROM generate_series(0, 4999) n")
    await db.run(
      "INSERT INTO value_rollups SELECT 1, n, 'v', 1, 7, 7, 7, $1, '{\"a\":1}' FROM generate_series(0, 4999) n",
      sketch.encode(),
    )
    const query = { monitorId: 'monitor-1', property: 'v', fromMs: 0, toMs: 5_000 * MINUTE_MS, quantile: 0.5 }
    const [bucket] = await readSeries(db, tenant, { ...query, bucketMs: 5_000 * MINUTE_MS })
    assert.deepEqual([bucket?.count, bucket?.quantile, bucket?.labels], [5_000, 7, { a: 5_000 }])
  })
})

describe('progress', () => {
  test('counts each waiting span once, over more work than is read at a time', async () => {
    const db = await storeWithMonitors(60)
    await db.run(
      `INSERT INTO span_batches (id, project_number, env_project_id, revision, received_at_ms, span_count, byte_length, bytes)
       SELECT n, 1, 'env', 1, 10000 - n, 8, 1, '' FROM generate_series(1, 1000) n`,
    )
    // The first monitor waits for two spans of every batch, the second for one of these and one more of every fifth, all
    // others for the same of the last.
    await db.run(
      `INSERT INTO work (batch_id, monitor_version, units, unit_count)
       SELECT n, 1, '\\x03'::bytea, 2 FROM generate_series(1, 1000) n
       UNION ALL SELECT n, 2, '\\x06'::bytea, 2 FROM generate_series(5, 1000, 5) n
       UNION ALL SELECT 1000, n, '\\x06'::bytea, 2 FROM generate_series(3, 60) n`,
    )
    assert.deepEqual(await readProgress(db, tenant), {
      ...{ waitingSpans: 2_200, oldestWaitingMs: 9_000, latestSpanMs: 9_999 },
    })
    assert.equal((await readProgress(db, tenant, 'env')).waitingSpans, 2_200)
    assert.deepEqual(await readProgress(db, tenant, 'other'), { waitingSpans: 0 })
  })
})
