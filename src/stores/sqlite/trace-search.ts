import { UNIT_INDEX } from '../shared/evaluation-indexes.ts'
import type { Sql, SqlValue } from '../shared/sql.ts'
import { sortedBy, stopOf, type TraceWalk, traceLister } from '../shared/trace-operations.ts'
import type { TraceRow } from '../shared/trace-rows.ts'
import { numberPlaces, Where } from '../shared/where.ts'

/**
 * Where looking ends is found first, in the index alone, and is a condition like any other. A query that limits another one would
 * have SQLite read all that are looked at, also for a page that the first of them fill.
 */
async function walk(db: Sql, given: TraceWalk) {
  const { along, passing, order, limit } = given
  const stop = await stopOf(db, given)
  const within = new Where<SqlValue>()
    .and(along.sql, ...along.values)
    .and(`(first_ms, trace_id) ${order === 'oldest' ? '<=' : '>='} (?, ?)`, stop?.first_ms, stop?.trace_id)
    .and(passing.sql, ...passing.values)
  const rows = await db.all<TraceRow>(
    numberPlaces(`SELECT * FROM traces t WHERE ${within.sql} ${sortedBy(order)} LIMIT ?`),
    ...within.values,
    limit + 1,
  )
  return { rows, ...(stop && { stop }) }
}

export const listTraces = traceLister({
  lookupsMax: 500_000,
  hasEvaluation: (conditions) =>
    `EXISTS (SELECT 1 FROM evaluations e INDEXED BY ${UNIT_INDEX} WHERE ${conditions})`,
  walk,
})
