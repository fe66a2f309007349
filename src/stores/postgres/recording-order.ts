import type { Sql } from '../shared/sql.ts'
import { LOCK_CLASS } from './lock-project.ts'
import type { PostgresDatabase } from './postgres-database.ts'

// Evaluations take their numbers from a sequence, and several processes record at the same time: a smaller number may become
// visible after a larger one. A reader that follows results in the order of recording would pass over it for good. So
// every transaction that records says before the first number is drawn, by a lock that ends with the transaction, behind which number
// that was; and a reader goes no further than the smallest of these.

/** Of a number as much as fits into a lock; what is under way is never this far behind the newest number. */
const LOCKED_BITS = 2_147_483_647
const HALF_OF_LOCKED = 1_073_741_824
/**
 * The number that was drawn last. Not from a SELECT on the sequence: while the server writes it to its log, every 33rd time, that
 * shows a number that is 32 too large.
 */
export const LAST_NUMBER = "coalesce(pg_sequence_last_value('evaluation_numbers'), 0)"

/**
 * The beginning of every transaction that stores evaluations: keeps deletions in these projects out and announces what is
 * going to be recorded. The answer is the time of recording, by the clock of the database. It has to be taken from here: only
 * then is nothing that is recorded later dated before what a reader of the settled evaluations has seen.
 */
export async function beginRecording(tx: Sql, projectNumbers: readonly number[]): Promise<number> {
  const row = await tx.get<{ now_ms: number }>(
    `WITH deletions AS MATERIALIZED (
       SELECT count(pg_advisory_xact_lock_shared($1, n::int)) FROM (
         SELECT n FROM unnest($2::bigint[]) AS n ORDER BY n) AS sorted)
     SELECT pg_advisory_xact_lock_shared($3, (${LAST_NUMBER} & ${LOCKED_BITS})::int),
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
     FROM deletions`,
    LOCK_CLASS.deletion,
    projectNumbers,
    LOCK_CLASS.recording,
  )
  return row?.now_ms as number
}

/**
 * The number up to which everything that will ever be visible is visible to a snapshot that is taken after this answer. Within
 * a snapshot that exists already it would be wrong, hence not for a transaction.
 */
export async function settledThrough(db: PostgresDatabase): Promise<number> {
  // The locks are looked at after the sequence: a transaction that announces itself later draws larger numbers than the last one here.
  const row = await db.get<{ number: number }>(
    `WITH last AS MATERIALIZED (SELECT ${LAST_NUMBER} AS number)
     SELECT last.number - open.behind AS number
     FROM last CROSS JOIN LATERAL (
       SELECT coalesce(max(distance), 0) AS behind FROM (
         SELECT (last.number - objid::bigint) & ${LOCKED_BITS} AS distance FROM pg_locks
         WHERE locktype = 'advisory' AND classid::bigint = $1 AND objsubid = 2
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS announced
       WHERE distance < ${HALF_OF_LOCKED}) AS open`,
    LOCK_CLASS.recording,
  )
  return row?.number as number
}
