import { LOCK_CLASS } from './lock-project.ts'
import type { Transaction } from './parameters.ts'
import type { PostgresDatabase } from './postgres-database.ts'

// Spans and evaluations lie in a partition for each day of what they are about, batches and what is decided about them in one
// for each range of batch numbers. Rows without a partition of their own (yet) lie in the default partition, `*_rest`.

export const DAY_MS = 86_400_000
/** Batches whose numbers lie in one partition. */
export const BATCHES_EACH = 32_768
/** Days, and ranges of batch numbers, that have their partitions before anything of them comes. */
const AHEAD = 2
/** Every user of the table waits meanwhile, so it is tried for a short time, and again later. */
const LOCK_MS_MAX = 300
/** How long one statement may take while all others wait. */
const LOCKED_MS_MAX = 3_000
/** Rows that are moved out of the default partition; where there are more, they stay there until they are deleted. */
const MOVED_MAX = 10_000
const GIVEN_UP = /^(55P03|57014)$/

/** How a table is divided: by ranges of a column that begin at multiples of a size. */
interface PartitionedTable {
  readonly name: string
  readonly column: string
  readonly size: number
  /** Puts the beginning of a range into the name of its partition, and takes it out again. */
  readonly unit: 'd' | 'r'
}

export const DAILY_TABLES = [
  { name: 'spans', column: 'second', size: DAY_MS / 1_000, unit: 'd' },
  { name: 'evaluations', column: 'unit_at_ms', size: DAY_MS, unit: 'd' },
] as const satisfies readonly PartitionedTable[]

export const BATCH_TABLES = [
  { name: 'span_batches', column: 'id', size: BATCHES_EACH, unit: 'r' },
  { name: 'matches', column: 'batch_id', size: BATCHES_EACH, unit: 'r' },
  { name: 'work', column: 'batch_id', size: BATCHES_EACH, unit: 'r' },
] as const satisfies readonly PartitionedTable[]

/** The partition of a table that holds the nth day since 1970, or the nth range of batch numbers. */
export function partitionName({ name, unit }: Pick<PartitionedTable, 'name' | 'unit'>, nth: number): string {
  return `${name}_${unit}${nth}`
}

/** Which days, or ranges of batch numbers, have a partition of their own, the oldest first. */
export async function listPartitions(
  db: PostgresDatabase,
  { name, unit }: Pick<PartitionedTable, 'name' | 'unit'>,
): Promise<number[]> {
  const rows = await db.all<{ name: string }>(
    `SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = $1::text::regclass`,
    name,
  )
  const prefix = `${name}_${unit}`
  return rows
    .filter((row) => row.name.startsWith(prefix))
    .map((row) => Number(row.name.slice(prefix.length)))
    .filter(Number.isSafeInteger)
    .sort((left, right) => left - right)
}

/** The range of batch numbers that the newest batch lies in. */
export async function newestRange(db: PostgresDatabase): Promise<number> {
  const row = await db.get<{ last: number }>('SELECT last_value AS last FROM batch_numbers')
  return Math.floor((row?.last ?? 0) / BATCHES_EACH)
}

/**
 * Makes the partitions that will be needed next. Any number of processes may do it at the same time. Where it would have to
 * wait for others it gives up: it is asked again soon, and until then the default partition takes what has no other.
 */
export async function ensurePartitions(db: PostgresDatabase, nowMs: number): Promise<void> {
  for (const table of DAILY_TABLES) await ensureFrom(db, table, Math.floor(nowMs / DAY_MS), AHEAD)
  const range = await newestRange(db)
  // As many as were filled since the last time may be filled until the next.
  const filled = range - (rangesSeen.get(db) ?? range)
  rangesSeen.set(db, range)
  for (const table of BATCH_TABLES) await ensureFrom(db, table, range, AHEAD + 2 * filled)
}

const rangesSeen = new WeakMap<PostgresDatabase, number>()

async function ensureFrom(
  db: PostgresDatabase,
  table: PartitionedTable,
  first: number,
  ahead: number,
): Promise<void> {
  const known = new Set(await listPartitions(db, table))
  const missing = Array.from({ length: ahead + 1 }, (_, at) => first + at).filter((nth) => !known.has(nth))
  if (missing.length === 0) return
  await withShortLocks(db, async (tx) => {
    const lock = await tx.get<{ is_mine: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1, 0) AS is_mine',
      LOCK_CLASS.partitions,
    )
    if (!lock?.is_mine) return
    for (const nth of missing) await makePartition(tx, table, nth)
  })
}

/** A table of its own that is filled first and attached then, which lets others write to the rest of the table meanwhile. */
export async function makePartition(tx: Transaction, table: PartitionedTable, nth: number): Promise<void> {
  const name = partitionName(table, nth)
  const found = await tx.get<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', name)
  if (found?.found) return
  const [from, to] = [nth * table.size, (nth + 1) * table.size]
  const { column } = table
  const inDefault = await tx.get<{ rows: number }>(
    `SELECT count(*) AS rows FROM (
       SELECT FROM ${table.name}_rest WHERE ${column} >= $1 AND ${column} < $2 LIMIT ${MOVED_MAX + 1}) AS found`,
    from,
    to,
  )
  if ((inDefault?.rows ?? 0) > MOVED_MAX) return
  // Like the default partition and not like the whole: it has an index that the whole cannot have.
  // Nothing of this range may come into the default partition between the moving and the attaching.
  await tx.exec(`LOCK TABLE ${table.name}_rest IN ACCESS EXCLUSIVE MODE;
    CREATE TABLE ${name} (LIKE ${table.name}_rest INCLUDING ALL);
    WITH moved AS (
      DELETE FROM ${table.name}_rest WHERE ${column} >= ${from} AND ${column} < ${to} RETURNING *)
    INSERT INTO ${name} SELECT * FROM moved;
    ALTER TABLE ${table.name} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`)
}

/** Runs a transaction that rather fails than waits for long; undefined when it did. */
export async function withShortLocks<T>(
  db: PostgresDatabase,
  work: (tx: Transaction) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await db.transaction(async (tx) => {
      await tx.exec(`SET LOCAL lock_timeout = ${LOCK_MS_MAX}; SET LOCAL statement_timeout = ${LOCKED_MS_MAX}`)
      return work(tx)
    })
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } }
    if (GIVEN_UP.test(code ?? cause?.code ?? '')) return undefined
    throw error
  }
}
