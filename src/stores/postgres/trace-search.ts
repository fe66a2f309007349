import type { Sql } from '../shared/sql.ts'
import { sortedBy, stopOf, type TraceWalk, traceLister } from '../shared/trace-operations.ts'
import type { TraceRow } from '../shared/trace-rows.ts'
import { numberPlaces } from '../shared/where.ts'
import { DAY_MS } from './partitions.ts'

/**
 * Evaluations lie in partitions by day, and those of a trace in the days of the trace: where its spans began, or where they
 * arrived when they do not tell. Without this every partition is looked into for every trace.
 */
const WITHIN_DAYS = `e.unit_at_ms >= least(t.first_ms, t.arrived_at_ms) / ${DAY_MS} * ${DAY_MS}
  AND e.unit_at_ms < (greatest(t.last_ms, t.arrived_at_ms) / ${DAY_MS} + 1) * ${DAY_MS}`

/**
 * Mostly one statement: it goes along the index only until the page is full, and only for one that is not full another one has
 * to tell where looking has ended.
 */
async function walk(db: Sql, given: TraceWalk) {
  const { along, passing, order, examined, limit } = given
  const sorted = sortedBy(order)
  const rows = await db.all<TraceRow>(
    numberPlaces(
      `SELECT * FROM (SELECT * FROM traces WHERE ${along.sql} ${sorted} LIMIT ?) t
       WHERE ${passing.sql} ${sorted} LIMIT ?`,
    ),
    ...along.values,
    examined,
    ...passing.values,
    limit + 1,
  )
  const stop = rows.length > limit ? undefined : await stopOf(db, given)
  return { rows, ...(stop && { stop }) }
}

export const listTraces = traceLister({
  // A look takes longer than in the embedded store, which has no partitions.
  lookupsMax: 100_000,
  // Without OFFSET the planner may turn this into a join that reads all evaluations of a version.
  hasEvaluation: (conditions) =>
    `EXISTS (SELECT 1 FROM evaluations e WHERE ${conditions} AND ${WITHIN_DAYS} OFFSET 0)`,
  walk,
})
