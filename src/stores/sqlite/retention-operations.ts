import { EXECUTION_MS_MAX } from '../../domain/execution.ts'
import { DROP_ANNOTATIONS } from '../shared/annotation-rows.ts'
import { DROP_UNSEEN } from '../shared/application-rollups.ts'
import { DROP_CONTENTS } from '../shared/content-operations.ts'
import { DAY, HOUR } from '../shared/fold-plan.ts'
import { DROP_IMAGES, IMAGES_AT_ONCE } from '../shared/image-operations.ts'
import { DROP_INCIDENT_PARTS, DROP_INCIDENTS } from '../shared/incident-rows.ts'
import { DROP_REVIEW_ITEMS } from '../shared/review-rows.ts'
import { dropSomeBatches } from './drop-batches.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** How long one step may hold up the writer. */
const DROP_MS_MAX = 20
/** Rows of one kind that are dropped between two looks at the clock. */
const DROP_ROWS = 200
/** Rollups hold no user data, only counts and sums; they stay longer so that charts reach back. */
const ROLLUP_DAYS = 400
const HOUR_MS = 3_600_000

interface ExpiredProject {
  readonly number: number
  readonly beforeMs: number
}

export function dropExpired(db: SqliteDatabase, nowMs: number, hoursMax: number): boolean {
  const untilMs = performance.now() + DROP_MS_MAX
  const projects = db.all<{ number: number; retention_hours: number }>(
    'SELECT p.number, o.retention_hours FROM projects p JOIN organizations o ON o.id = p.org_id ORDER BY p.number',
  )
  for (const { number, retention_hours: hours } of projects) {
    const project = { number, beforeMs: nowMs - Math.min(hours, hoursMax) * HOUR_MS }
    for (const drop of [
      dropOldBatches,
      dropTraces,
      dropUnits,
      dropEvaluations,
      dropReviewItems,
      dropAnnotations,
      dropContents,
      dropImages,
      dropSpans,
      dropJobs,
      dropIncidents,
    ]) {
      while (drop(db, project) > 0) if (performance.now() > untilMs) return true
    }
  }
  while (dropExecutions(db, nowMs, DROP_ROWS) > 0) if (performance.now() > untilMs) return true
  return dropRollups(db, Math.floor(nowMs / 60_000) - ROLLUP_DAYS * 1_440)
}

function dropOldBatches(db: SqliteDatabase, { number, beforeMs }: ExpiredProject): number {
  return dropSomeBatches(db, 'project_number = ? AND received_at_ms < ?', number, beforeMs)
}

/** A trace goes with its last batch; those that began before the oldest kept batch are looked at, in order of their start. */
function dropTraces(db: SqliteDatabase, { number, beforeMs }: ExpiredProject): number {
  return db.run(
    `DELETE FROM traces WHERE (project_number, trace_id) IN (
       SELECT t.project_number, t.trace_id FROM traces t
       WHERE t.project_number = ?1 AND t.first_ms < ?2 AND t.arrived_at_ms < ?2 AND NOT EXISTS (
         SELECT 1 FROM trace_places p WHERE p.project_number = ?1 AND p.trace_id = t.trace_id)
       ORDER BY t.first_ms LIMIT ?3)`,
    number,
    beforeMs,
    DROP_ROWS,
  )
}

/** Units go with the spans they are made of. */
function dropUnits(db: SqliteDatabase, { number, beforeMs }: ExpiredProject): number {
  return db.run(
    `DELETE FROM units WHERE (monitor_version, scope, unit_key) IN (
       SELECT monitor_version, scope, unit_key FROM units WHERE project_number = ? AND changed_at_ms < ? LIMIT ?)`,
    number,
    beforeMs,
    DROP_ROWS,
  )
}

/** Their numbers grow with time, so the expired ones are a range at the beginning. */
function dropEvaluations(db: SqliteDatabase, { number, beforeMs }: ExpiredProject): number {
  const { last } = db.get<{ last: number | null }>(
    `SELECT max(number) AS last FROM (SELECT number, created_at_ms FROM evaluations
     WHERE project_number = ? ORDER BY number LIMIT ?) WHERE created_at_ms < ?`,
    number,
    DROP_ROWS,
    beforeMs,
  ) ?? { last: null }
  if (last === null) return 0
  return db.run('DELETE FROM evaluations WHERE project_number = ? AND number <= ?', number, last)
}

/** Items of review queues go with their evaluations. */
function dropReviewItems(db: SqliteDatabase, { number }: ExpiredProject): number {
  return db.run(DROP_REVIEW_ITEMS, number, DROP_ROWS)
}

function dropAnnotations(db: SqliteDatabase, { number, beforeMs }: ExpiredProject): number {
  return db.run(DROP_ANNOTATIONS, number, DROP_ROWS, beforeMs)
}

function dropContents(db: SqliteDatabase, { number, beforeMs }: ExpiredProject): number {
  return db.run(DROP_CONTENTS, number, beforeMs, DROP_ROWS)
}

function dropImages(db: SqliteDatabase, { number, beforeMs }: ExpiredProject): number {
  return db.run(DROP_IMAGES, number, IMAGES_AT_ONCE, beforeMs)
}

/** Jobs that have ended go with what they were about. */
function dropJobs(db: SqliteDatabase, { number, beforeMs }: ExpiredProject): number {
  return db.run(
    `DELETE FROM jobs WHERE number IN (
       SELECT number FROM jobs WHERE project_number = ? AND finished_at_ms < ? LIMIT ?)`,
    number,
    beforeMs,
    DROP_ROWS,
  )
}

/** An incident that was closed goes with the evaluations of that time, and its parts go with it. */
function dropIncidents(db: SqliteDatabase, { number, beforeMs }: ExpiredProject): number {
  const dropped = db.run(DROP_INCIDENTS, number, beforeMs, DROP_ROWS)
  if (dropped > 0) for (const dropParts of DROP_INCIDENT_PARTS) db.run(dropParts, number)
  return dropped
}

/** Where the next step over the spans of each project begins; a new connection begins at the beginning. */
const spansSeen = new WeakMap<SqliteDatabase, Map<number, SpanKey>>()

interface SpanKey {
  readonly second: number
  readonly trace_id: Uint8Array
  readonly span_id: Uint8Array
}

/**
 * Goes over the seconds that are no longer kept, range by range, and drops the spans whose batch is gone. A span that began
 * long before it arrived is kept as long as its batch; one that began in the future waits until its second has passed.
 */
function dropSpans(db: SqliteDatabase, { number, beforeMs }: ExpiredProject): number {
  const seen = spansSeen.get(db) ?? new Map<number, SpanKey>()
  spansSeen.set(db, seen)
  const from = seen.get(number) ?? { second: -1, trace_id: new Uint8Array(0), span_id: new Uint8Array(0) }
  const range = db.all<SpanKey & Record<string, unknown>>(
    `SELECT second, trace_id, span_id FROM spans
     WHERE project_number = ? AND second < ? AND (second, trace_id, span_id) > (?, ?, ?)
     ORDER BY second, trace_id, span_id LIMIT ?`,
    number,
    Math.floor(beforeMs / 1_000),
    from.second,
    from.trace_id,
    from.span_id,
    DROP_ROWS,
  )
  const to = range.at(-1)
  if (!to) {
    seen.delete(number)
    return 0
  }
  // Behind a range that is not full there is nothing; the next pass begins at the beginning, also if this one has no time left.
  if (range.length === DROP_ROWS) seen.set(number, to)
  else seen.delete(number)
  db.run(
    `DELETE FROM spans WHERE project_number = ? AND (second, trace_id, span_id) > (?, ?, ?)
       AND (second, trace_id, span_id) <= (?, ?, ?) AND batch_id < ?`,
    number,
    from.second,
    from.trace_id,
    from.span_id,
    to.second,
    to.trace_id,
    to.span_id,
    oldestBatch(db, number),
  )
  return range.length === DROP_ROWS ? DROP_ROWS : 0
}

function oldestBatch(db: SqliteDatabase, projectNumber: number): number {
  const row = db.get<{ id: number }>(
    'SELECT id FROM span_batches WHERE project_number = ? ORDER BY received_at_ms LIMIT 1',
    projectNumber,
  )
  return row?.id ?? Number.MAX_SAFE_INTEGER
}

function dropRollups(db: SqliteDatabase, beforeMinute: number): boolean {
  const beforeHour = Math.floor(beforeMinute / 60)
  const versions = db.all<{ number: number }>('SELECT number FROM monitor_versions ORDER BY number')
  for (const { number } of versions) {
    db.run('DELETE FROM status_rollups WHERE monitor_version = ? AND minute < ?', number, beforeMinute)
    db.run('DELETE FROM value_rollups WHERE monitor_version = ? AND minute < ?', number, beforeMinute)
    for (const table of ['status_folds', 'value_folds', 'stale_folds'])
      db.run(dropFolds(table, 'monitor_version'), number, beforeMinute - DAY)
    db.run('DELETE FROM application_rollups WHERE monitor_version = ? AND hour < ?', number, beforeHour)
  }
  const projects = db.all<{ number: number }>('SELECT number FROM projects')
  for (const { number } of projects) {
    db.run('DELETE FROM usage_rollups WHERE project_number = ? AND minute < ?', number, beforeMinute)
    for (const table of ['usage_folds', 'stale_usage_folds'])
      db.run(dropFolds(table, 'project_number'), number, beforeMinute - DAY)
    for (const sql of DROP_UNSEEN) db.run(sql, number, beforeHour * HOUR_MS)
  }
  return false
}

/** A period goes a day after its first minute: until then, losing minutes makes it stale. */
function dropFolds(table: string, owner: string): string {
  return `DELETE FROM ${table} WHERE ${owner} = ? AND level IN (${HOUR}, ${DAY}) AND minute < ?`
}

/** Drops the oldest of those that are no longer kept, and tells how many. */
function dropExecutions(db: SqliteDatabase, nowMs: number, rowsMax: number): number {
  return db.run(
    `DELETE FROM executions WHERE id IN (SELECT id FROM executions WHERE created_at_ms < ?
     ORDER BY created_at_ms LIMIT ?)`,
    nowMs - EXECUTION_MS_MAX,
    rowsMax,
  )
}
