import {
  BATCH_TABLES,
  BATCHES_EACH,
  DAILY_TABLES,
  DAY_MS,
  listPartitions,
  newestRange,
  partitionName,
  withShortLocks,
} from './partitions.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import type { Sql } from './sql.ts'

/** Places of traces that go in one transaction. */
const PLACES_AT_ONCE = 10_000
/** Rows that are no longer kept wait this long for the rest of their partition, so that they need not be deleted one by one. */
export const BATCH_WAIT_MS = DAY_MS
/** The same for evaluations; those of one day were recorded within about a day. */
export const EVALUATION_WAIT_MS = 2 * DAY_MS
/** The same for spans, which go after their batches. */
export const SPAN_WAIT_MS = 3 * DAY_MS

const [SPANS, EVALUATIONS] = DAILY_TABLES
const [BATCHES] = BATCH_TABLES

/**
 * Drops a partition in which nothing is kept by anybody any more; true when it did, or has to be asked again to go on with it.
 * One that others use at the moment is left for later.
 */
export async function dropOldPartition(db: PostgresDatabase, keptFromMs: number): Promise<boolean> {
  return (
    (await dropOldBatches(db, keptFromMs)) ||
    (await dropOldDay(db, EVALUATIONS, keptFromMs, (tx, partition) =>
      hasRow(tx, `SELECT 1 FROM ${partition} WHERE created_at_ms >= $1`, keptFromMs),
    )) ||
    (await dropOldDay(db, SPANS, keptFromMs, hasSpansOfBatches))
  )
}

type IsKept = (db: Sql, partition: string) => Promise<boolean>

/** Days that are over for everybody; a span that began long before it arrived is kept as long as its batch. */
async function dropOldDay(
  db: PostgresDatabase,
  table: (typeof DAILY_TABLES)[number],
  keptFromMs: number,
  isKept: IsKept,
): Promise<boolean> {
  const days = await listPartitions(db, table)
  for (const day of days.filter((nth) => (nth + 1) * DAY_MS <= keptFromMs)) {
    const partition = partitionName(table, day)
    if (await isKept(db, partition)) continue
    const isDropped = await withShortLocks(db, async (tx) => {
      // Whatever was on its way into the partition has arrived when nobody else has it.
      await tx.exec(`LOCK TABLE ${table.name} IN ACCESS EXCLUSIVE MODE`)
      if (await isKept(tx, partition)) return false
      await tx.exec(`DROP TABLE IF EXISTS ${partition}`)
      return true
    })
    if (isDropped) return true
  }
  return false
}

/** A batch and its spans become visible together, so spans before the oldest batch there is are nobody's. */
async function hasSpansOfBatches(db: Sql, partition: string): Promise<boolean> {
  const oldest = await db.get<{ id: number | null }>('SELECT min(id) AS id FROM span_batches')
  return (
    typeof oldest?.id === 'number' &&
    (await hasRow(db, `SELECT 1 FROM ${partition} WHERE batch_id >= $1`, oldest.id))
  )
}

/** Ranges of batch numbers that are full and of which nothing is kept, with all that refers to these batches. */
async function dropOldBatches(db: PostgresDatabase, keptFromMs: number): Promise<boolean> {
  const isKept: IsKept = (tx, partition) =>
    hasRow(tx, `SELECT 1 FROM ${partition} WHERE received_at_ms >= $1`, keptFromMs)
  for (const range of await fullRanges(db)) {
    const partition = partitionName(BATCHES, range)
    if (await isKept(db, partition)) continue
    const between = [range * BATCHES_EACH, (range + 1) * BATCHES_EACH] as const
    if ((await dropPlaces(db, between)) === PLACES_AT_ONCE) return true
    const isDropped = await withShortLocks(db, async (tx) => {
      await tx.exec(`LOCK TABLE ${BATCH_TABLES.map(({ name }) => name).join(', ')} IN ACCESS EXCLUSIVE MODE`)
      if (await isKept(tx, partition)) return false
      await tx.run('DELETE FROM trace_places WHERE batch_id >= $1 AND batch_id < $2', ...between)
      await tx.run('DELETE FROM erasures WHERE batch_id >= $1 AND batch_id < $2', ...between)
      for (const table of BATCH_TABLES) await tx.exec(`DROP TABLE IF EXISTS ${partitionName(table, range)}`)
      return true
    })
    if (isDropped) return true
  }
  return false
}

/** Ranges whose numbers are all given out, the oldest first. */
async function fullRanges(db: PostgresDatabase): Promise<number[]> {
  const newest = await newestRange(db)
  return (await listPartitions(db, BATCHES)).filter((range) => range < newest)
}

function dropPlaces(db: Sql, between: readonly [from: number, to: number]): Promise<number> {
  return db.run(
    `DELETE FROM trace_places WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM trace_places WHERE batch_id >= $1 AND batch_id < $2 LIMIT ${PLACES_AT_ONCE}))`,
    ...between,
  )
}

/**
 * Batches below this number lie in partitions that are going to be dropped soon, when the last of theirs is no longer kept. So
 * whoever keeps things longest need not have them deleted one by one.
 */
export async function soonDroppedBelow(db: PostgresDatabase, keptFromMs: number): Promise<number> {
  let below = 0
  for (const range of await fullRanges(db)) {
    const last = await db.get<{ received_at_ms: number }>(
      `SELECT received_at_ms FROM ${partitionName(BATCHES, range)} ORDER BY id DESC LIMIT 1`,
    )
    if (last && last.received_at_ms >= keptFromMs + BATCH_WAIT_MS) break
    below = (range + 1) * BATCHES_EACH
  }
  return below
}

async function hasRow(db: Sql, select: string, value: number): Promise<boolean> {
  const row = await db.get<{ found: boolean }>(`SELECT EXISTS (${select}) AS found`, value)
  return row?.found === true
}
