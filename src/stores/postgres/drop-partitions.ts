import type { Sql } from '../shared/sql.ts'
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
 * Drops a partition in which no organization keeps anything any more; true when it did, or has to be asked again to go on with it.
 * One that others use at the moment is left for later.
 */
export async function dropOldPartition(db: PostgresDatabase, keptFromMs: number): Promise<boolean> {
  return (
    (await dropOldBatches(db, keptFromMs)) ||
    (await dropOldDay(db, EVALUATIONS, keptFromMs, (tx, [from, to]) =>
      hasRow(
        tx,
        'SELECT 1 FROM evaluations WHERE unit_at_ms >= $1 AND unit_at_ms < $2 AND created_at_ms >= $3',
        ...[from, to, keptFromMs],
      ),
    )) ||
    (await dropOldDay(db, SPANS, keptFromMs, hasSpansOfBatches))
  )
}

type Range = readonly [from: number, to: number]
/**
 * Whether anything in a range, which is that of one partition, is kept. The range stands for the partition, because another
 * process may have dropped that; and a statement that names it would be another one for each partition.
 */
type IsKept = (db: Sql, range: Range) => Promise<boolean>

/** Days that have expired for every organization; a span that began long before it arrived is kept as long as its batch. */
async function dropOldDay(
  db: PostgresDatabase,
  table: (typeof DAILY_TABLES)[number],
  keptFromMs: number,
  isKept: IsKept,
): Promise<boolean> {
  const days = await listPartitions(db, table)
  for (const day of days.filter((nth) => (nth + 1) * DAY_MS <= keptFromMs)) {
    const range = rangeOf(table, day)
    if (await isKept(db, range)) continue
    const isDropped = await withShortLocks(db, async (tx) => {
      // Rows on their way into the partition have arrived once no other transaction holds the table.
      await tx.exec(`LOCK TABLE ${table.name} IN ACCESS EXCLUSIVE MODE`)
      if (await isKept(tx, range)) return false
      await tx.exec(`DROP TABLE IF EXISTS ${partitionName(table, day)}`)
      return true
    })
    if (isDropped) return true
  }
  return false
}

/** A batch and its spans become visible together, so spans before the oldest batch there is have no batch. */
async function hasSpansOfBatches(db: Sql, [from, to]: Range): Promise<boolean> {
  const oldest = await db.get<{ id: number | null }>('SELECT min(id) AS id FROM span_batches')
  return (
    typeof oldest?.id === 'number' &&
    (await hasRow(
      db,
      'SELECT 1 FROM spans WHERE second >= $1 AND second < $2 AND batch_id >= $3',
      ...[from, to, oldest.id],
    ))
  )
}

/** Ranges of batch numbers that are full and of which nothing is kept, with all that refers to these batches. */
async function dropOldBatches(db: PostgresDatabase, keptFromMs: number): Promise<boolean> {
  const isKept: IsKept = (tx, between) =>
    hasRow(
      tx,
      'SELECT 1 FROM span_batches WHERE id >= $1 AND id < $2 AND received_at_ms >= $3',
      ...[...between, keptFromMs],
    )
  for (const range of await fullRanges(db)) {
    const between = rangeOf(BATCHES, range)
    if (await isKept(db, between)) continue
    if ((await dropPlaces(db, between)) === PLACES_AT_ONCE) return true
    const isDropped = await withShortLocks(db, async (tx) => {
      await tx.exec(`LOCK TABLE ${BATCH_TABLES.map(({ name }) => name).join(', ')} IN ACCESS EXCLUSIVE MODE`)
      if (await isKept(tx, between)) return false
      for (const table of ['trace_places', 'erasures', 'undigested_batches'])
        await tx.run(`DELETE FROM ${table} WHERE batch_id >= $1 AND batch_id < $2`, ...between)
      await subtractBytes(tx, between)
      for (const table of BATCH_TABLES) await tx.exec(`DROP TABLE IF EXISTS ${partitionName(table, range)}`)
      return true
    })
    if (isDropped) return true
  }
  return false
}

/** No trigger notices that a partition goes. */
async function subtractBytes(tx: Sql, between: Range): Promise<void> {
  await tx.run(
    `UPDATE stored_bytes s SET bytes = s.bytes - d.bytes FROM (
       SELECT project_number, sum(octet_length(bytes)) AS bytes FROM span_batches WHERE id >= $1 AND id < $2
       GROUP BY project_number) AS d
     WHERE s.project_number = d.project_number`,
    ...between,
  )
}

/** Ranges whose numbers are all given out, the oldest first. */
async function fullRanges(db: PostgresDatabase): Promise<number[]> {
  const newest = await newestRange(db)
  return (await listPartitions(db, BATCHES)).filter((range) => range < newest)
}

function dropPlaces(db: Sql, between: Range): Promise<number> {
  return db.run(
    `DELETE FROM trace_places WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM trace_places WHERE batch_id >= $1 AND batch_id < $2 LIMIT ${PLACES_AT_ONCE}))`,
    ...between,
  )
}

/**
 * Batches below this number lie in partitions that are going to be dropped soon, when the last of theirs is no longer kept. So
 * rows of the organizations that keep things longest need not be deleted one by one.
 */
export async function soonDroppedBelow(db: PostgresDatabase, keptFromMs: number): Promise<number> {
  let below = 0
  for (const range of await fullRanges(db)) {
    const last = await db.get<{ received_at_ms: number }>(
      'SELECT received_at_ms FROM span_batches WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT 1',
      ...rangeOf(BATCHES, range),
    )
    if (last && last.received_at_ms >= keptFromMs + BATCH_WAIT_MS) break
    below = (range + 1) * BATCHES_EACH
  }
  return below
}

async function hasRow(db: Sql, select: string, ...values: number[]): Promise<boolean> {
  const row = await db.get<{ found: boolean }>(`SELECT EXISTS (${select}) AS found`, ...values)
  return row?.found === true
}

function rangeOf({ size }: { readonly size: number }, nth: number): Range {
  return [nth * size, (nth + 1) * size]
}
