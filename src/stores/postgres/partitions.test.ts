import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { emptyDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { BATCHES_EACH, DAY_MS, ensurePartitions, listPartitions } from './partitions.ts'
import { PostgresDatabase } from './postgres-database.ts'

const DAY = 20_500
const NOW_MS = DAY * DAY_MS + 3_600_000
const SPANS = { name: 'spans', unit: 'd' } as const
const BATCHES = { name: 'span_batches', unit: 'r' } as const

function open(url: string): PostgresDatabase {
  const db = new PostgresDatabase({
    ...{
      url,
      connectionsMax: 4,
      statementMsMax: 300_000,
      connectMsMax: 300_000,
      logger: recordingLogger([]),
    },
  })
  after(() => db.close())
  return db
}

function addSpan(db: PostgresDatabase, second: number, id: number): Promise<number> {
  const bytes = Buffer.from([id])
  return db.run('INSERT INTO spans VALUES (1, $1, $2, $2, 1, 0)', second, bytes)
}

describe('partitions', () => {
  test('are made for today and the next two days, and for three ranges of batch numbers', async () => {
    const url = await emptyDatabase()
    const db = open(url)
    await ensurePartitions(db, NOW_MS)
    for (const name of ['spans', 'evaluations'])
      assert.deepEqual(await listPartitions(db, { name, unit: 'd' }), [DAY, DAY + 1, DAY + 2])
    for (const name of ['span_batches', 'matches', 'work'])
      assert.deepEqual(await listPartitions(db, { name, unit: 'r' }), [0, 1, 2])
    await db.run("SELECT setval('batch_numbers', $1)", 2 * BATCHES_EACH)
    await ensurePartitions(open(url), NOW_MS + DAY_MS)
    assert.deepEqual(await listPartitions(db, SPANS), [DAY, DAY + 1, DAY + 2, DAY + 3])
    assert.deepEqual(await listPartitions(db, BATCHES), [0, 1, 2, 3, 4])
  })

  test('have the indexes of their table, and take over what lay in the default partition', async () => {
    const db = open(await emptyDatabase())
    await addSpan(db, DAY * 86_400, 1)
    await addSpan(db, DAY * 86_400 - 1, 2)
    await ensurePartitions(db, NOW_MS)
    await addSpan(db, DAY * 86_400 + 5, 3)
    const places = await db.all(
      'SELECT tableoid::regclass::text AS place, get_byte(trace_id, 0) AS id FROM spans ORDER BY 2',
    )
    assert.deepEqual(
      places.map(({ place }) => place),
      [`spans_d${DAY}`, 'spans_rest', `spans_d${DAY}`],
    )
    const rows = await db.all(
      `SELECT count(*) AS indexes FROM pg_index WHERE indrelid IN ('spans_rest'::regclass, 'spans_d${DAY}'::regclass)
       GROUP BY indrelid`,
    )
    assert.equal(rows[0]?.['indexes'], rows[1]?.['indexes'])
  })

  test('are more ahead where batches come fast', async () => {
    const db = open(await emptyDatabase())
    await ensurePartitions(db, NOW_MS)
    await db.run("SELECT setval('batch_numbers', $1)", 5 * BATCHES_EACH)
    await ensurePartitions(db, NOW_MS)
    assert.equal((await listPartitions(db, BATCHES)).at(-1), 5 + 2 + 2 * 5)
  })

  test('are not made for a day of which very much lies in the default partition already', async () => {
    const db = open(await emptyDatabase())
    await db.run(
      "INSERT INTO spans SELECT 1, $1, int4send(n), 'x', 1, 0 FROM generate_series(1, 10001) AS n",
      DAY * 86_400,
    )
    await ensurePartitions(db, NOW_MS)
    assert.deepEqual(await listPartitions(db, SPANS), [DAY + 1, DAY + 2])
    assert.equal((await db.get('SELECT count(*) AS spans FROM spans'))?.['spans'], 10_001)
  })

  test('are made once when many processes begin together, while others write', async () => {
    const url = await emptyDatabase()
    const processes = Array.from({ length: 6 }, () => open(url))
    const written = Array.from({ length: 100 }, (_, id) =>
      (processes[id % 6] as PostgresDatabase).transaction(async (tx) => {
        await tx.run('INSERT INTO spans VALUES (1, $1, $2, $2, 1, 0)', DAY * 86_400, Buffer.from([id]))
      }),
    )
    await Promise.all(processes.map((db) => ensurePartitions(db, NOW_MS)))
    await Promise.all(written)
    const [db] = processes as [PostgresDatabase]
    await ensurePartitions(db, NOW_MS)
    assert.deepEqual(await listPartitions(db, SPANS), [DAY, DAY + 1, DAY + 2])
    const row = await db.get('SELECT count(*) AS spans FROM spans')
    assert.equal(row?.['spans'], 100)
  })

  test('do not make a row fail that was on its way to the default partition', async () => {
    const url = await emptyDatabase()
    const [db, other] = [open(url), open(url)]
    let inserting: Promise<unknown> = Promise.resolve()
    await other.transaction(async (tx) => {
      await tx.exec('LOCK TABLE spans_rest IN ACCESS EXCLUSIVE MODE')
      inserting = db.transaction((own) =>
        own.run("INSERT INTO spans VALUES (1, $1, 'a', 'a', 1, 0)", DAY * 86_400),
      )
      const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'spans_rest'::regclass"
      while (!(await db.get(waiting))) await setImmediate()
      await tx.exec(`CREATE TABLE spans_d${DAY} (LIKE spans INCLUDING ALL);
        ALTER TABLE spans ATTACH PARTITION spans_d${DAY} FOR VALUES FROM (${DAY * 86_400}) TO (${(DAY + 1) * 86_400})`)
    })
    await inserting
    assert.equal((await db.all(`SELECT 1 FROM spans_d${DAY}`)).length, 1)
  })

  test('are not waited for when somebody holds the table; the next look makes them', async () => {
    const url = await emptyDatabase()
    const [db, other] = [open(url), open(url)]
    await other.transaction(async (tx) => {
      await tx.exec('LOCK TABLE spans_rest IN ACCESS SHARE MODE')
      await ensurePartitions(db, NOW_MS)
      assert.deepEqual(await listPartitions(db, SPANS), [])
    })
    await ensurePartitions(db, NOW_MS)
    assert.equal((await listPartitions(db, SPANS)).length, 3)
  })
})
