import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { emptyDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import type { SqlValue } from '../shared/sql.ts'
import {
  BATCH_TABLES,
  BATCHES_EACH,
  DAILY_TABLES,
  DAY_MS,
  ensurePartitions,
  listPartitions,
} from './partitions.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { dropExpired } from './retention-operations.ts'

const DAY = 20_500
const HOUR_MS = 3_600_000
/** The organization that keeps things longest keeps them for this long. */
const HOURS = 720
const LONG = 1
const SHORT = 2
/** The end of the first day, as seen when it is no longer kept. */
const AFTER_FIRST_DAY_MS = (DAY + 1) * DAY_MS + HOURS * HOUR_MS

async function storeWithPartitions(): Promise<PostgresDatabase> {
  const db = new PostgresDatabase({
    ...{
      url: await emptyDatabase(),
      connectionsMax: 4,
      statementMsMax: 300_000,
      connectMsMax: 300_000,
      logger: recordingLogger([]),
    },
  })
  after(() => db.close())
  for (const [number, hours] of [
    [LONG, HOURS],
    [SHORT, 24],
  ] as const) {
    await db.run('INSERT INTO organizations VALUES ($1, $1, 0, $2, 0)', `o${number}`, hours)
    await db.run('INSERT INTO projects VALUES ($1, $2, $1, $1, 0, 0, $3)', `p${number}`, `o${number}`, number)
  }
  // On a slow machine making one may take longer than others may be held up, and it is made the next time.
  do await ensurePartitions(db, DAY * DAY_MS)
  while (!(await hasAllPartitions(db)))
  return db
}

async function hasAllPartitions(db: PostgresDatabase): Promise<boolean> {
  const lists = await Promise.all(
    [...DAILY_TABLES, ...BATCH_TABLES].map((table) => listPartitions(db, table)),
  )
  return lists.every((list) => list.length === 3)
}

/** A batch of one span, with a place of its trace and an evaluation. */
async function addBatch(db: PostgresDatabase, project: number, id: number, atMs: number): Promise<void> {
  const key = Buffer.from(`${project} ${id}`)
  await db.run(
    `INSERT INTO span_batches (id, project_number, env_project_id, revision, received_at_ms, span_count, byte_length, bytes)
     VALUES ($1, $2, 'e', 1, $3, 1, 1, 'x')`,
    id,
    project,
    atMs,
  )
  await db.run('INSERT INTO matches (batch_id, setup_version, units) VALUES ($1, 1, $2)', id, key)
  await db.run(
    'INSERT INTO work (batch_id, monitor_version, units, unit_count) VALUES ($1, 1, $2, 1)',
    id,
    key,
  )
  await db.run('INSERT INTO spans VALUES ($1, $2, $3, $3, $4, 0)', project, Math.floor(atMs / 1_000), key, id)
  await db.run('INSERT INTO trace_places VALUES ($1, $2, $3, $2)', project, key, id)
  await addEvaluation(db, project, id, atMs, atMs)
}

async function addEvaluation(
  db: PostgresDatabase,
  project: number,
  id: number,
  unitAtMs: number,
  atMs: number,
): Promise<void> {
  await db.run(
    `INSERT INTO evaluations (project_number, monitor_version, trace_id, span_id, status, batch_id, ordinal, unit_at_ms,
       duration_us, created_at_ms) VALUES ($1, 1, $2, $2, 'scored', $3, 0, $4, 1, $5)`,
    project,
    Buffer.from(`${project} ${id} ${atMs}`),
    id,
    unitAtMs,
    atMs,
  )
}

const TABLES = ['span_batches', 'matches', 'work', 'spans', 'trace_places', 'evaluations']

async function counts(db: PostgresDatabase): Promise<Record<string, number>> {
  await assertBytesAreCounted(db)
  const found: Record<string, number> = {}
  for (const table of TABLES) {
    const row = await db.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`)
    found[table] = row?.rows ?? 0
  }
  return found
}

/** Whether rows are deleted or partitions dropped, what projects have stored is what is there. */
async function assertBytesAreCounted(db: PostgresDatabase): Promise<void> {
  const stored = await db.all(
    'SELECT project_number, bytes FROM stored_bytes WHERE bytes <> 0 ORDER BY project_number',
  )
  const there = await db.all(
    `SELECT project_number, sum(octet_length(bytes))::bigint AS bytes FROM span_batches
     GROUP BY project_number ORDER BY project_number`,
  )
  assert.deepEqual(stored, there)
}

const all = (rows: number) => Object.fromEntries(TABLES.map((table) => [table, rows]))

async function exists(db: PostgresDatabase, table: string): Promise<boolean> {
  return (await db.get('SELECT 1 FROM pg_class WHERE relname = $1', table)) !== undefined
}

async function dropAll(db: PostgresDatabase, nowMs: number, hoursMax = HOURS): Promise<void> {
  while (await dropExpired(db, nowMs, hoursMax));
}

describe('retention', () => {
  test('drops a whole day and a full range of batches when nobody keeps them, and nothing younger', async () => {
    const db = await storeWithPartitions()
    for (const at of [1, 2, 3]) await addBatch(db, LONG, at, DAY * DAY_MS + at)
    for (const at of [1, 2]) await addBatch(db, LONG, BATCHES_EACH + at, (DAY + 1) * DAY_MS + at)
    await db.run("SELECT setval('batch_numbers', $1)", BATCHES_EACH + 2)
    await refuseDeleting(db)
    await dropAll(db, AFTER_FIRST_DAY_MS - 1)
    assert.ok(await exists(db, `evaluations_d${DAY}`))
    await dropAll(db, AFTER_FIRST_DAY_MS)
    for (const gone of [`spans_d${DAY}`, `evaluations_d${DAY}`, 'span_batches_r0', 'matches_r0', 'work_r0'])
      assert.equal(await exists(db, gone), false, gone)
    for (const kept of [`spans_d${DAY + 1}`, `evaluations_d${DAY + 1}`, 'span_batches_r1', 'work_r1'])
      assert.equal(await exists(db, kept), true, kept)
    assert.deepEqual(await counts(db), all(2))
  })

  test('leaves a partition in which something younger lies, and takes out what has waited too long', async () => {
    const db = await storeWithPartitions()
    await addBatch(db, LONG, 1, DAY * DAY_MS)
    // Arrived a day later than it began, and was evaluated again then.
    await addBatch(db, LONG, BATCHES_EACH + 1, (DAY + 5) * DAY_MS)
    await db.run('UPDATE spans SET second = $1', DAY * 86_400)
    await addEvaluation(db, LONG, 7, DAY * DAY_MS, (DAY + 5) * DAY_MS)
    await db.run("SELECT setval('batch_numbers', $1)", BATCHES_EACH + 2)
    await dropAll(db, AFTER_FIRST_DAY_MS)
    assert.deepEqual(await counts(db), { ...all(1), spans: 2, evaluations: 3 })
    assert.ok(await exists(db, `spans_d${DAY}`))
    await dropAll(db, AFTER_FIRST_DAY_MS + 3 * DAY_MS)
    assert.deepEqual(await counts(db), { ...all(1), evaluations: 2 })
    await dropAll(db, AFTER_FIRST_DAY_MS + 5 * DAY_MS)
    assert.deepEqual(await counts(db), all(0))
    await dropAll(db, AFTER_FIRST_DAY_MS + 5 * DAY_MS)
    assert.equal(await exists(db, `spans_d${DAY}`), false)
  })

  test('deletes row by row what an organization keeps for a shorter time than others', async () => {
    const db = await storeWithPartitions()
    for (const at of [1, 2, 3]) {
      await addBatch(db, LONG, at, DAY * DAY_MS + at)
      await addBatch(db, SHORT, 10 + at, DAY * DAY_MS + at)
    }
    await dropAll(db, DAY * DAY_MS + 2 + 24 * HOUR_MS)
    const left = await db.all<{ id: number }>(
      'SELECT id FROM span_batches WHERE project_number = $1 ORDER BY id',
      SHORT,
    )
    assert.deepEqual(
      left.map(({ id }) => id),
      [12, 13],
    )
    await dropAll(db, DAY * DAY_MS + 4 + 24 * HOUR_MS)
    assert.deepEqual(await counts(db), { ...all(3), spans: 6 }, 'the second of its spans is not over')
    await dropAll(db, DAY * DAY_MS + 1_000 + 24 * HOUR_MS)
    assert.deepEqual(await counts(db), all(3))
  })

  test('keeps nothing for longer than the service does, whatever organizations want', async () => {
    const db = await storeWithPartitions()
    await addBatch(db, LONG, 1, DAY * DAY_MS)
    await db.run("SELECT setval('batch_numbers', $1)", BATCHES_EACH)
    await dropAll(db, (DAY + 1) * DAY_MS + 12 * HOUR_MS, 12)
    assert.deepEqual(await counts(db), all(0))
    assert.equal(await exists(db, `spans_d${DAY}`), false)
  })

  test('does not wait for who reads what is to be dropped, and drops it later', async () => {
    const db = await storeWithPartitions()
    await addBatch(db, LONG, 1, DAY * DAY_MS)
    await db.run("SELECT setval('batch_numbers', $1)", BATCHES_EACH)
    await db.snapshot(async (tx) => {
      await tx.all('SELECT 1 FROM spans')
      await tx.all('SELECT 1 FROM evaluations')
      await tx.all('SELECT 1 FROM span_batches')
      await dropAll(db, AFTER_FIRST_DAY_MS)
      assert.deepEqual(await counts(db), { ...all(1), trace_places: 0 })
    })
    await dropAll(db, AFTER_FIRST_DAY_MS)
    assert.deepEqual(await counts(db), all(0))
  })

  test('keeps what somebody records at the moment at which its partition is dropped', async () => {
    const db = await storeWithPartitions()
    await addBatch(db, LONG, 1, DAY * DAY_MS)
    let dropping: Promise<void> = Promise.resolve()
    let hasWaited = false
    await db.transaction(async (tx) => {
      await tx.run(
        `INSERT INTO evaluations (project_number, monitor_version, trace_id, span_id, status, batch_id, ordinal, unit_at_ms,
           duration_us, created_at_ms) VALUES ($1, 1, 'young', 'young', 'scored', 1, 0, $2, 1, $3)`,
        LONG,
        DAY * DAY_MS,
        AFTER_FIRST_DAY_MS,
      )
      // Dropping waits for a short time only, which a slow machine may not notice at once.
      dropping = (async () => {
        do await dropAll(db, AFTER_FIRST_DAY_MS)
        while (!hasWaited)
      })()
      await untilSomebodyWaits(db)
      hasWaited = true
    })
    await dropping
    const row = await db.get("SELECT 1 FROM evaluations WHERE trace_id = 'young'")
    assert.ok(row)
  })

  test('goes on when another process has dropped what it has just listed', async () => {
    const db = await storeWithPartitions()
    await addBatch(db, LONG, 1, DAY * DAY_MS)
    await db.run("SELECT setval('batch_numbers', $1)", BATCHES_EACH)
    const all = db.all.bind(db) as typeof db.all
    db.all = async <T>(sql: string, ...values: SqlValue[]) => {
      const rows = await all<T>(sql, ...values)
      if (sql.includes('pg_inherits'))
        await db.exec(`DROP TABLE IF EXISTS span_batches_r0, spans_d${DAY}, evaluations_d${DAY}`)
      return rows
    }
    await dropAll(db, AFTER_FIRST_DAY_MS)
    assert.equal(await exists(db, 'work_r0'), false)
  })

  test('drops rollups that are too old in steps, and none that are not', async () => {
    const db = await storeWithPartitions()
    await db.exec(`
      INSERT INTO usage_rollups SELECT ${LONG}, n, 'e', 's', 'm', 1, 0, 0, 0, '' FROM generate_series(1, 2500) n;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) > 1000 FROM gone) THEN RAISE EXCEPTION 'too many at once'; END IF; RETURN NULL; END $$;
      CREATE TRIGGER few AFTER DELETE ON usage_rollups REFERENCING OLD TABLE AS gone EXECUTE FUNCTION refuse();`)
    await dropAll(db, (400 * 1_440 + 2_400) * 60_000)
    const left = await db.get<{ first: number; rows: number }>(
      'SELECT min(minute) AS first, count(*) AS rows FROM usage_rollups',
    )
    assert.deepEqual(left, { first: 2_400, rows: 101 })
  })

  test('is done by one process at a time, and nothing is lost when several do', async () => {
    const db = await storeWithPartitions()
    for (let at = 1; at <= 20; at++) await addBatch(db, SHORT, at, DAY * DAY_MS + at)
    await addBatch(db, LONG, 30, DAY * DAY_MS)
    await Promise.all([1, 2, 3].map(() => dropAll(db, (DAY + 3) * DAY_MS)))
    await dropAll(db, (DAY + 3) * DAY_MS)
    assert.deepEqual(await counts(db), all(1))
  })
})

/** From now on no row can be deleted by itself. */
async function refuseDeleting(db: PostgresDatabase): Promise<void> {
  await db.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'a row of % is deleted by itself', TG_TABLE_NAME; END $$`)
  for (const table of ['span_batches', 'matches', 'work', 'spans', 'evaluations'])
    await db.exec(`CREATE TRIGGER no_delete BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`)
}

/** Until a statement waits for a lock on a table. */
async function untilSomebodyWaits(db: PostgresDatabase): Promise<void> {
  const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  while (!(await db.get(waiting))) await setImmediate()
}
