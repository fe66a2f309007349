import { addModelUse, type ModelUse } from '../../domain/model-use.ts'
import type { ProjectScope } from '../../domain/tenant.ts'
import type {
  EvaluationCondition,
  StoredSession,
  StoredTrace,
  TraceFilter,
  TracePage,
  TracePlace,
  TracePosition,
  TraceRange,
} from '../../ports/trace-storage.ts'
import { decodeModelUses } from '../sql/model-use-text.ts'
import { Where } from '../sql/where.ts'
import { allVersions, UNIT_INDEX } from './evaluation-operations.ts'
import { jsonOf } from './json-of.ts'
import { projectOf, toHex } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export interface TraceRow {
  trace_id: Uint8Array
  env_project_id: string
  first_ms: number
  last_ms: number
  arrived_at_ms: number
  span_count: number
  error_count: number
  root_name: string | null
  service: string | null
  model: string | null
  session_id: string | null
  model_calls: number
  prompt_tokens: number
  completion_tokens: number
  model_use: string
  is_complete: number
}

/** Most traces that are looked at for one page. */
const EXAMINED_MAX = 10_000
/** Evaluations lie by monitor version, so a trace is looked up under each that is meant: most such looks for one page. */
const LOOKUPS_MAX = 500_000
/** However many versions there are, so many traces are looked at. */
const EXAMINED_MIN = 10
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
  const stop = db.get<{ first_ms: number; trace_id: Uint8Array }>(
    `SELECT first_ms, trace_id FROM traces WHERE ${where.sql} ${sorted} LIMIT 1 OFFSET ?`,
    ...where.values,
    examinedMax(versions) - 1,
  )
  where.and(`(first_ms, trace_id) ${notBehind} (?, ?)`, stop?.first_ms, stop?.trace_id)
  addConditions(where, filter)
  if (versions) addEvaluation(where, versions, filter.evaluation)
  const rows = db.all<TraceRow>(
    `SELECT * FROM traces WHERE ${where.sql} ${sorted} LIMIT ?`,
    ...where.values,
    limit + 1,
  )
  const traces = rows.slice(0, limit).map(toTrace)
  const last = traces.at(-1)
  if (rows.length > limit && last) return { traces, next: positionOf(last) }
  return {
    traces,
    ...(stop && { next: { firstMs: stop.first_ms, traceId: toHex(stop.trace_id) } }),
  }
}

function positionOf({ firstMs, traceId }: StoredTrace): TracePosition {
  return { firstMs, traceId }
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

function examinedMax(versions: readonly number[] | undefined): number {
  if (!versions) return EXAMINED_MAX
  const count = Math.floor(LOOKUPS_MAX / Math.max(1, versions.length))
  return Math.max(EXAMINED_MIN, Math.min(EXAMINED_MAX, count))
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
    .all<{ batch_id: number; units: Uint8Array }>(
      `SELECT batch_id, units FROM trace_places WHERE project_number = ? AND trace_id = ? ORDER BY batch_id LIMIT ?`,
      projectOf(db, scope).number,
      idBytes(traceId),
      limit,
    )
    .map(({ batch_id: batchId, units }) => ({ batchId, units }))
}

interface SessionRow {
  session_id: string
  first_ms: number
  last_ms: number
  trace_count: number
  span_count: number
  error_count: number
  model_calls: number
  prompt_tokens: number
  completion_tokens: number
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
    `SELECT session_id, min(first_ms) AS first_ms, max(last_ms) AS last_ms, count(*) AS trace_count,
       sum(span_count) AS span_count, sum(error_count) AS error_count, sum(model_calls) AS model_calls,
       sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens
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
  return rows.map((row) => ({
    sessionId: row.session_id,
    firstMs: row.first_ms,
    lastMs: row.last_ms,
    traceCount: row.trace_count,
    spanCount: row.span_count,
    errorCount: row.error_count,
    modelCalls: row.model_calls,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    models: uses.get(row.session_id) ?? new Map(),
  }))
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
  const bySession = new Map<string, Map<string, ModelUse>>()
  for (const row of rows) {
    const uses = bySession.get(row.session_id) ?? new Map<string, ModelUse>()
    bySession.set(row.session_id, uses)
    for (const [model, use] of decodeModelUses(row.model_use)) addModelUse(uses, model, use)
  }
  return bySession
}

export function toTrace(row: TraceRow): StoredTrace {
  return {
    traceId: toHex(row.trace_id),
    envProjectId: row.env_project_id,
    firstMs: row.first_ms,
    lastMs: row.last_ms,
    arrivedAtMs: row.arrived_at_ms,
    spanCount: row.span_count,
    errorCount: row.error_count,
    ...(row.root_name === null ? {} : { rootName: row.root_name }),
    ...(row.service === null ? {} : { service: row.service }),
    ...(row.model === null ? {} : { model: row.model }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    modelCalls: row.model_calls,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    models: decodeModelUses(row.model_use),
    isComplete: row.is_complete === 1,
  }
}

function idBytes(traceId: string): Uint8Array {
  return Buffer.from(traceId, 'hex')
}
