import type { ModelUse } from '../../domain/model-use.ts'
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
import { UNIT_INDEX } from '../shared/evaluation-indexes.ts'
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
import { joinUsesBySession } from '../shared/usage-rows.ts'
import { Where } from '../shared/where.ts'
import { allVersions } from './evaluation-operations.ts'
import { jsonOf } from './json-of.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Most looks for an evaluation of one trace under one monitor version, for one page. */
const LOOKUPS_MAX = 500_000
/** Left to itself SQLite would go through all traces for those of one session. */
const SESSION_INDEX = 'traces_by_session'

export function listTraces(
  db: SqliteDatabase,
  scope: ProjectScope,
  filter: TraceFilter,
  range: TraceRange,
): TracePage {
  const { number: project } = projectOf(db, scope)
  const { after, limit } = range
  const versions = filter.evaluation && versionsOf(db, project, filter.evaluation)
  const [behind, notBehind, order] = range.order === 'oldest' ? ['>', '<=', 'ASC'] : ['<', '>=', 'DESC']
  const sorted = `ORDER BY first_ms ${order}, trace_id ${order}`
  // What an index answers by itself; the number of traces that are looked at is limited along it.
  const where = new Where()
    .and('project_number = ?', project)
    .and('session_id = ?', filter.sessionId)
    .and('first_ms >= ?', filter.fromMs)
    .and('first_ms < ?', filter.toMs)
    .and(`(first_ms, trace_id) ${behind} (?, ?)`, after?.firstMs, after && idBytes(after.traceId))
  const stop = db.get<StopRow>(
    `SELECT first_ms, trace_id FROM traces WHERE ${where.sql} ${sorted} LIMIT 1 OFFSET ?`,
    ...where.values,
    examinedMax(versions, LOOKUPS_MAX) - 1,
  )
  where.and(`(first_ms, trace_id) ${notBehind} (?, ?)`, stop?.first_ms, stop?.trace_id)
  addConditions(where, filter)
  if (versions) addEvaluation(where, versions, filter.evaluation)
  const rows = db.all<TraceRow>(
    `SELECT * FROM traces WHERE ${where.sql} ${sorted} LIMIT ?`,
    ...where.values,
    limit + 1,
  )
  return toTracePage(rows, limit, stop)
}

function addConditions(where: Where, filter: TraceFilter): void {
  where
    .and('env_project_id IN (SELECT value FROM json_each(?))', jsonOf(filter.envProjectIds))
    .and('service = ?', filter.service)
    .and(
      '(model = ? OR EXISTS (SELECT 1 FROM json_each(model_use) WHERE key = ?))',
      filter.model,
      filter.model,
    )
    .and('(error_count > 0) = ?', filter.hasError === undefined ? undefined : Number(filter.hasError))
    .and('last_ms - first_ms >= ?', filter.minDurationMs)
    .and('last_ms - first_ms <= ?', filter.maxDurationMs)
}

function versionsOf(db: SqliteDatabase, project: number, { slug }: EvaluationCondition): number[] {
  return slug === undefined ? allVersions(db, project) : allVersions(db, project, ['m.slug = ?'], [slug])
}

function addEvaluation(
  where: Where,
  versions: readonly number[],
  { status, minValue, maxValue }: EvaluationCondition = {},
): void {
  const like = new Where()
    .and('e.monitor_version IN (SELECT value FROM json_each(?))', JSON.stringify(versions))
    .and('e.trace_id = traces.trace_id')
    .and('e.is_current = 1')
    .and('e.status = ?', status)
    .and('e.value >= ?', minValue)
    .and('e.value <= ?', maxValue)
  where.and(`EXISTS (SELECT 1 FROM evaluations e INDEXED BY ${UNIT_INDEX} WHERE ${like.sql})`, ...like.values)
}

export function getTrace(db: SqliteDatabase, scope: ProjectScope, traceId: string): StoredTrace | undefined {
  const row = db.get<TraceRow>(
    'SELECT * FROM traces WHERE project_number = ? AND trace_id = ?',
    projectOf(db, scope).number,
    idBytes(traceId),
  )
  return row && toTrace(row)
}

export function listTracePlaces(
  db: SqliteDatabase,
  scope: ProjectScope,
  traceId: string,
  limit: number,
): TracePlace[] {
  return db
    .all<PlaceRow>(
      `SELECT batch_id, units FROM trace_places WHERE project_number = ? AND trace_id = ? ORDER BY batch_id LIMIT ?`,
      projectOf(db, scope).number,
      idBytes(traceId),
      limit,
    )
    .map(toPlace)
}

export function listSessions(
  db: SqliteDatabase,
  scope: ProjectScope,
  filter: Pick<TraceFilter, 'fromMs' | 'toMs' | 'envProjectIds' | 'sessionId'>,
  range: { readonly after?: { readonly lastMs: number; readonly sessionId: string }; readonly limit: number },
): StoredSession[] {
  const { after, limit } = range
  const where = new Where()
    .and('project_number = ?', projectOf(db, scope).number)
    .and('session_id IS NOT NULL')
    .and('session_id = ?', filter.sessionId)
    .and('first_ms >= ?', filter.fromMs)
    .and('first_ms < ?', filter.toMs)
    .and('env_project_id IN (SELECT value FROM json_each(?))', jsonOf(filter.envProjectIds))
  const rows = db.all<SessionRow>(
    `SELECT ${SESSION_COLUMNS}
     FROM traces INDEXED BY ${SESSION_INDEX} WHERE ${where.sql} GROUP BY session_id
     ${after ? 'HAVING (max(last_ms), session_id) < (?, ?)' : ''}
     ORDER BY max(last_ms) DESC, session_id DESC LIMIT ?`,
    ...where.values,
    ...(after ? [after.lastMs, after.sessionId] : []),
    limit,
  )
  const uses = useOfSessions(
    db,
    where,
    rows.map((row) => row.session_id),
  )
  return rows.map((row) => toSession(row, uses.get(row.session_id)))
}

/** What the traces of each session used models for; only those traces that the conditions leave. */
function useOfSessions(
  db: SqliteDatabase,
  where: Where,
  sessionIds: readonly string[],
): Map<string, Map<string, ModelUse>> {
  const rows = db.all<{ session_id: string; model_use: string }>(
    `SELECT session_id, model_use FROM traces INDEXED BY ${SESSION_INDEX}
     WHERE ${where.sql} AND session_id IN (SELECT value FROM json_each(?)) AND model_use <> '{}'`,
    ...where.values,
    JSON.stringify(sessionIds),
  )
  return joinUsesBySession(rows)
}

function idBytes(traceId: string): Uint8Array {
  return Buffer.from(traceId, 'hex')
}
