import type { ProjectScope } from '../../domain/tenant.ts'
import { ValueSketch } from '../../domain/value-sketch.ts'
import type {
  StoredSession,
  StoredTrace,
  TraceFilter,
  TracePlace,
  TracePosition,
  UsageBucket,
  UsageQuery,
} from '../../ports/trace-storage.ts'
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
  is_complete: number
}

type Value = string | number | Uint8Array

/** Conditions and their values, joined with AND. */
class Where {
  readonly #conditions: string[] = []
  readonly values: Value[] = []

  and(condition: string, ...values: (Value | undefined)[]): this {
    if (values.some((value) => value === undefined)) return this
    this.#conditions.push(condition)
    this.values.push(...(values as Value[]))
    return this
  }

  get sql(): string {
    return this.#conditions.join(' AND ')
  }
}

export function listTraces(
  db: SqliteDatabase,
  scope: ProjectScope,
  filter: TraceFilter,
  range: { readonly after?: TracePosition; readonly limit: number },
): StoredTrace[] {
  const { after, limit } = range
  const where = new Where()
    .and('project_number = ?', projectOf(db, scope).number)
    .and('first_ms >= ?', filter.fromMs)
    .and('first_ms < ?', filter.toMs)
    .and('(first_ms, trace_id) < (?, ?)', after?.firstMs, after && Buffer.from(after.traceId, 'hex'))
    .and('env_project_id IN (SELECT value FROM json_each(?))', jsonOf(filter.envProjectIds))
    .and('service = ?', filter.service)
    .and('model = ?', filter.model)
    .and('session_id = ?', filter.sessionId)
    .and('(error_count > 0) = ?', filter.hasError === undefined ? undefined : Number(filter.hasError))
    .and('last_ms - first_ms >= ?', filter.minDurationMs)
    .and('last_ms - first_ms <= ?', filter.maxDurationMs)
  return db
    .all<TraceRow>(
      `SELECT * FROM traces WHERE ${where.sql} ORDER BY first_ms DESC, trace_id DESC LIMIT ?`,
      ...where.values,
      limit,
    )
    .map(toTrace)
}

export function getTrace(db: SqliteDatabase, scope: ProjectScope, traceId: string): StoredTrace | undefined {
  const row = db.get<TraceRow>(
    'SELECT * FROM traces WHERE project_number = ? AND trace_id = ?',
    projectOf(db, scope).number,
    Buffer.from(traceId, 'hex'),
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
      Buffer.from(traceId, 'hex'),
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
  filter: Pick<TraceFilter, 'fromMs' | 'toMs' | 'envProjectIds'>,
  range: { readonly after?: { readonly lastMs: number; readonly sessionId: string }; readonly limit: number },
): StoredSession[] {
  const { after, limit } = range
  const where = new Where()
    .and('project_number = ?', projectOf(db, scope).number)
    .and('session_id IS NOT NULL')
    .and('first_ms >= ?', filter.fromMs)
    .and('first_ms < ?', filter.toMs)
    .and('env_project_id IN (SELECT value FROM json_each(?))', jsonOf(filter.envProjectIds))
  const rows = db.all<SessionRow>(
    `SELECT session_id, min(first_ms) AS first_ms, max(last_ms) AS last_ms, count(*) AS trace_count,
       sum(span_count) AS span_count, sum(error_count) AS error_count, sum(model_calls) AS model_calls,
       sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens
     FROM traces WHERE ${where.sql} GROUP BY session_id
     ${after ? 'HAVING (max(last_ms), session_id) < (?, ?)' : ''}
     ORDER BY max(last_ms) DESC, session_id DESC LIMIT ?`,
    ...where.values,
    ...(after ? [after.lastMs, after.sessionId] : []),
    limit,
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
  }))
}

interface UsageRow {
  bucket: number
  env_project_id: string
  service: string
  model: string
  calls: number
  errors: number
  prompt_tokens: number
  completion_tokens: number
  durations: Uint8Array
}

const MINUTE_MS = 60_000

export function readUsage(db: SqliteDatabase, scope: ProjectScope, query: UsageQuery): UsageBucket[] {
  const where = new Where()
    .and('project_number = ?', projectOf(db, scope).number)
    .and('minute >= ?', Math.floor(query.fromMs / MINUTE_MS))
    .and('minute < ?', Math.ceil(query.toMs / MINUTE_MS))
    .and('env_project_id IN (SELECT value FROM json_each(?))', jsonOf(query.envProjectIds))
    .and('service = ?', query.service)
    .and('model = ?', query.model)
  const bucketMinutes = Math.max(1, Math.floor(query.bucketMs / MINUTE_MS))
  const groups = new Map<string, Growing>()
  const rows = db.all<UsageRow>(
    `SELECT minute / ${bucketMinutes} * ${bucketMinutes} AS bucket, env_project_id, service, model, calls, errors,
       prompt_tokens, completion_tokens, durations
     FROM usage_rollups WHERE ${where.sql} ORDER BY bucket, model, service, env_project_id`,
    ...where.values,
  )
  for (const row of rows) addRow(groups, query, row)
  return [...groups.values()].map(toBucket)
}

type Sums = Omit<UsageBucket, 'durationP50Ms' | 'durationP95Ms'>
type Growing = { -readonly [Name in keyof Sums]: Sums[Name] } & { durations: ValueSketch }

function addRow(groups: Map<string, Growing>, { groupBy }: UsageQuery, row: UsageRow): void {
  const service = groupBy.includes('service') ? { service: row.service } : {}
  const environment = groupBy.includes('environment') ? { envProjectId: row.env_project_id } : {}
  const startMs = row.bucket * MINUTE_MS
  const key = JSON.stringify([startMs, row.model, service, environment])
  const group = groups.get(key) ?? {
    ...{ startMs, model: row.model, ...service, ...environment },
    ...{ calls: 0, errors: 0, promptTokens: 0, completionTokens: 0 },
    durations: new ValueSketch(),
  }
  groups.set(key, group)
  group.calls += row.calls
  group.errors += row.errors
  group.promptTokens += row.prompt_tokens
  group.completionTokens += row.completion_tokens
  group.durations.merge(ValueSketch.decode(row.durations))
}

function toBucket({ durations, ...bucket }: Growing): UsageBucket {
  // There is no row without a call, so there is always a quantile.
  const quantile = (share: number) => durations.quantile(share) as number
  return { ...bucket, durationP50Ms: quantile(0.5), durationP95Ms: quantile(0.95) }
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
    isComplete: row.is_complete === 1,
  }
}

function jsonOf(list: readonly string[] | undefined): string | undefined {
  return list && JSON.stringify(list)
}
