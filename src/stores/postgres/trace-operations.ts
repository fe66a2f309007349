import type { ProjectScope } from '../../domain/tenant.ts'
import type {
  EvaluationCondition,
  StoredSession,
  StoredTrace,
  TraceFilter,
  TracePage,
  TracePlace,
  TraceRange,
} from '../../ports/trace-storage.ts'
import { hasModel, modelKey } from '../shared/model-use-text.ts'
import { projectOf } from '../shared/project-of.ts'
import type { Dialect, Sql, SqlValue } from '../shared/sql.ts'
import {
  examinedMax,
  type PlaceRow,
  SESSION_COLUMNS,
  type SessionRow,
  type StopRow,
  type TraceRow,
  toPlace,
  toSession,
  toTrace,
  toTracePage,
} from '../shared/trace-rows.ts'
import { joinUses } from '../shared/usage-rows.ts'
import { numberPlaces, Where } from '../shared/where.ts'
import { DAY_MS } from './partitions.ts'

/**
 * Most looks for an evaluation of one trace under one monitor version, for one page. A look takes longer than in the embedded
 * store, which has no partitions.
 */
const LOOKUPS_MAX = 100_000

export async function listTraces(
  db: Sql,
  scope: ProjectScope,
  filter: TraceFilter,
  range: TraceRange,
): Promise<TracePage> {
  const { number: project } = await projectOf(db, scope)
  const { after, limit } = range
  const versions = filter.evaluation && (await versionsOf(db, project, filter.evaluation))
  const [behind, order] = range.order === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC']
  const sorted = `ORDER BY first_ms ${order}, trace_id ${order}`
  // What an index answers by itself; the number of traces that are looked at is limited along it.
  const along = new Where<SqlValue>()
    .and('project_number = ?', project)
    .and('session_id = ?', filter.sessionId)
    .and('first_ms >= ?', wholeMs(filter.fromMs))
    .and('first_ms < ?', wholeMs(filter.toMs))
    .and(`(first_ms, trace_id) ${behind} (?, ?)`, after?.firstMs, after && idBytes(after.traceId))
  const examined = examinedMax(versions, LOOKUPS_MAX)
  const passing = conditionsOf(db.dialect, filter, versions)
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
  if (rows.length > limit) return toTracePage(rows, limit, undefined)
  const stop = await db.get<StopRow>(
    numberPlaces(`SELECT first_ms, trace_id FROM traces WHERE ${along.sql} ${sorted} LIMIT 1 OFFSET ?`),
    ...along.values,
    examined - 1,
  )
  return toTracePage(rows, limit, stop)
}

async function versionsOf(
  db: Sql,
  project: number,
  { slug }: EvaluationCondition,
): Promise<readonly number[]> {
  const where = new Where<SqlValue>().and('m.project_number = ?', project).and('m.slug = ?', slug)
  const rows = await db.all<{ number: number }>(
    numberPlaces(
      `SELECT v.number FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number WHERE ${where.sql}`,
    ),
    ...where.values,
  )
  return rows.map(({ number }) => number)
}

/** What is asked of each trace that is looked at. */
function conditionsOf(
  dialect: Dialect,
  filter: TraceFilter,
  versions: readonly number[] | undefined,
): Where<SqlValue> {
  const where = new Where<SqlValue>()
    .and('true')
    .and('env_project_id = ANY(?)', filter.envProjectIds)
    .and('service = ?', filter.service)
    .and(
      `(model = ? OR ${hasModel(dialect)})`,
      filter.model,
      filter.model === undefined ? undefined : modelKey(filter.model),
    )
    .and('(error_count > 0) = ?', filter.hasError)
    .and('last_ms - first_ms >= ?::double precision', filter.minDurationMs)
    .and('last_ms - first_ms <= ?::double precision', filter.maxDurationMs)
  if (!versions) return where
  const like = likeEvaluation(versions, filter.evaluation)
  // Without OFFSET the planner may turn this into a join that reads all evaluations of a version.
  return where.and(`EXISTS (SELECT 1 FROM evaluations e WHERE ${like.sql} OFFSET 0)`, ...like.values)
}

/**
 * Evaluations lie in partitions by day, and those of a trace in the days of the trace: where its spans began, or where they
 * arrived when they do not tell. Without this every partition is looked into for every trace.
 */
const WITHIN_DAYS = `e.unit_at_ms >= least(t.first_ms, t.arrived_at_ms) / ${DAY_MS} * ${DAY_MS}
  AND e.unit_at_ms < (greatest(t.last_ms, t.arrived_at_ms) / ${DAY_MS} + 1) * ${DAY_MS}`

function likeEvaluation(
  versions: readonly number[],
  { status, minValue, maxValue }: EvaluationCondition = {},
): Where<SqlValue> {
  return new Where<SqlValue>()
    .and('e.monitor_version = ANY(?)', versions)
    .and('e.trace_id = t.trace_id')
    .and(WITHIN_DAYS)
    .and('e.is_current = 1')
    .and('e.status = ?', status)
    .and('e.value >= ?', minValue)
    .and('e.value <= ?', maxValue)
}

export async function getTrace(
  db: Sql,
  scope: ProjectScope,
  traceId: string,
): Promise<StoredTrace | undefined> {
  const row = await db.get<TraceRow>(
    'SELECT * FROM traces WHERE project_number = $1 AND trace_id = $2',
    (await projectOf(db, scope)).number,
    idBytes(traceId),
  )
  return row && toTrace(row)
}

export async function listTracePlaces(
  db: Sql,
  scope: ProjectScope,
  traceId: string,
  limit: number,
): Promise<TracePlace[]> {
  const rows = await db.all<PlaceRow>(
    `SELECT batch_id, units FROM trace_places WHERE project_number = $1 AND trace_id = $2 ORDER BY batch_id LIMIT $3`,
    (await projectOf(db, scope)).number,
    idBytes(traceId),
    limit,
  )
  return rows.map(toPlace)
}

export async function listSessions(
  db: Sql,
  scope: ProjectScope,
  filter: Pick<TraceFilter, 'fromMs' | 'toMs' | 'envProjectIds' | 'sessionId'>,
  range: { readonly after?: { readonly lastMs: number; readonly sessionId: string }; readonly limit: number },
): Promise<StoredSession[]> {
  const { after, limit } = range
  const where = new Where<SqlValue>()
    .and('project_number = ?', (await projectOf(db, scope)).number)
    .and('session_id IS NOT NULL')
    .and('session_id = ?', filter.sessionId)
    .and('first_ms >= ?', wholeMs(filter.fromMs))
    .and('first_ms < ?', wholeMs(filter.toMs))
    .and('env_project_id = ANY(?)', filter.envProjectIds)
  // Which sessions they are is found out first: adding up is slow, and is done for these alone.
  const newest = await db.all<{ session_id: string }>(
    numberPlaces(
      `SELECT session_id FROM traces WHERE ${where.sql} GROUP BY session_id
       ${after ? 'HAVING (max(last_ms), session_id) < (?, ?)' : ''}
       ORDER BY max(last_ms) DESC, session_id DESC LIMIT ?`,
    ),
    ...where.values,
    ...(after ? [after.lastMs, after.sessionId] : []),
    limit,
  )
  where.and(
    'session_id = ANY(?)',
    newest.map((row) => row.session_id),
  )
  const rows = await db.all<SessionRow & { uses: string }>(
    numberPlaces(
      `SELECT ${SESSION_COLUMNS}, '[' || string_agg(model_use, ',') || ']' AS uses
       FROM traces WHERE ${where.sql} GROUP BY session_id ORDER BY max(last_ms) DESC, session_id DESC`,
    ),
    ...where.values,
  )
  return rows.map((row) => toSession(row, joinUses(row.uses)))
}

function idBytes(traceId: string): Uint8Array {
  return Buffer.from(traceId, 'hex')
}

/** A bound that comes out of a calculation with seconds; traces begin at whole milliseconds. */
function wholeMs(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.ceil(ms)
}
