import type { ProjectTenant } from '../../domain/tenant.ts'
import type {
  EvaluationCondition,
  StoredSession,
  StoredTrace,
  TraceFilter,
  TracePage,
  TracePlace,
  TraceRange,
} from '../../ports/trace-storage.ts'
import { allVersions } from './all-versions.ts'
import { hasModel, modelKey } from './model-use-text.ts'
import { projectOf } from './project-of.ts'
import type { Dialect, Sql, SqlValue } from './sql.ts'
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
} from './trace-rows.ts'
import { joinUses } from './usage-rows.ts'
import { numberPlaces, Where } from './where.ts'

/** The index of traces in a session. Left to itself SQLite would go through all traces for those of one session. */
const SESSION_INDEX = 'traces_by_session'

/** A way through the traces `t`, along an index. */
export interface TraceWalk {
  /** Conditions that the index answers by itself; the number of traces that are looked at is limited along it. */
  readonly along: Where<SqlValue>
  /** Conditions on each trace that is looked at. */
  readonly passing: Where<SqlValue>
  readonly order: 'newest' | 'oldest'
  /** Most traces that are looked at. */
  readonly examined: number
  /** Most traces that are wanted; one more tells that there are more. */
  readonly limit: number
}

/** How an engine looks for traces. */
export interface TraceSearch {
  /** Most looks for an evaluation of one trace under one monitor version, for one page. */
  readonly lookupsMax: number
  /** The condition that a trace `t` has an evaluation `e` that fulfils conditions. */
  hasEvaluation(conditions: string): string
  /** The traces that a walk finds, and the last one that was looked at if there are more behind it. */
  walk(db: Sql, walk: TraceWalk): Promise<{ readonly rows: readonly TraceRow[]; readonly stop?: StopRow }>
}

/** Makes the operation that lists traces. */
export function traceLister({ lookupsMax, hasEvaluation, walk }: TraceSearch) {
  return async (
    db: Sql,
    tenant: ProjectTenant,
    filter: TraceFilter,
    { after, order = 'newest', limit }: TraceRange,
  ): Promise<TracePage> => {
    const { number: project } = await projectOf(db, tenant)
    const along = new Where<SqlValue>()
      .and('project_number = ?', project)
      .and('session_id = ?', filter.sessionId)
      .and('first_ms >= ?', wholeMs(filter.fromMs))
      .and('first_ms < ?', wholeMs(filter.toMs))
      .and(
        `(first_ms, trace_id) ${order === 'oldest' ? '>' : '<'} (?, ?)`,
        after?.firstMs,
        after && idBytes(after.traceId),
      )
    const passing = conditionsOf(db.dialect, filter)
    const { evaluation } = filter
    const versions = evaluation && (await versionsOf(db, project, evaluation))
    if (versions) {
      const like = likeEvaluation(db.dialect, versions, evaluation)
      passing.and(hasEvaluation(like.sql), ...like.values)
    }
    const examined = examinedMax(versions, lookupsMax)
    const { rows, stop } = await walk(db, { along, passing, order, examined, limit })
    return toTracePage(rows, limit, stop)
  }
}

/** The order of a walk. */
export function sortedBy(order: TraceWalk['order']): string {
  const direction = order === 'oldest' ? 'ASC' : 'DESC'
  return `ORDER BY first_ms ${direction}, trace_id ${direction}`
}

/** The last trace that a walk looks at, if there are that many. */
export function stopOf(db: Sql, { along, order, examined }: TraceWalk): Promise<StopRow | undefined> {
  return db.get<StopRow>(
    numberPlaces(
      `SELECT first_ms, trace_id FROM traces WHERE ${along.sql} ${sortedBy(order)} LIMIT 1 OFFSET ?`,
    ),
    ...along.values,
    examined - 1,
  )
}

function versionsOf(db: Sql, project: number, { slug }: EvaluationCondition): Promise<number[]> {
  return slug === undefined ? allVersions(db, project) : allVersions(db, project, ['m.slug = ?'], [slug])
}

function conditionsOf(dialect: Dialect, filter: TraceFilter): Where<SqlValue> {
  return new Where<SqlValue>()
    .and('true')
    .and(dialect.oneOf('env_project_id', '?'), filter.envProjectIds)
    .and('service = ?', filter.service)
    .and(
      `(model = ? OR ${hasModel(dialect)})`,
      filter.model,
      filter.model === undefined ? undefined : modelKey(filter.model),
    )
    .and('(error_count > 0) = ?', filter.hasError)
    .and('last_ms - first_ms >= CAST(? AS double precision)', filter.minDurationMs)
    .and('last_ms - first_ms <= CAST(? AS double precision)', filter.maxDurationMs)
}

function likeEvaluation(
  dialect: Dialect,
  versions: readonly number[],
  { status, minValue, maxValue }: EvaluationCondition,
): Where<SqlValue> {
  return new Where<SqlValue>()
    .and(dialect.oneOf('e.monitor_version', '?'), versions)
    .and('e.trace_id = t.trace_id')
    .and('e.is_current = 1')
    .and('e.status = ?', status)
    .and('e.value >= ?', minValue)
    .and('e.value <= ?', maxValue)
}

export async function getTrace(
  db: Sql,
  tenant: ProjectTenant,
  traceId: string,
): Promise<StoredTrace | undefined> {
  const row = await db.get<TraceRow>(
    'SELECT * FROM traces WHERE project_number = $1 AND trace_id = $2',
    (await projectOf(db, tenant)).number,
    idBytes(traceId),
  )
  return row && toTrace(row)
}

export async function listTracePlaces(
  db: Sql,
  tenant: ProjectTenant,
  traceId: string,
  limit: number,
): Promise<TracePlace[]> {
  const rows = await db.all<PlaceRow>(
    `SELECT batch_id, units FROM trace_places WHERE project_number = $1 AND trace_id = $2 ORDER BY batch_id LIMIT $3`,
    (await projectOf(db, tenant)).number,
    idBytes(traceId),
    limit,
  )
  return rows.map(toPlace)
}

export async function listSessions(
  db: Sql,
  tenant: ProjectTenant,
  filter: Pick<TraceFilter, 'fromMs' | 'toMs' | 'envProjectIds' | 'sessionId'>,
  range: { readonly after?: { readonly lastMs: number; readonly sessionId: string }; readonly limit: number },
): Promise<StoredSession[]> {
  const { after, limit } = range
  const { oneOf, indexedBy } = db.dialect
  const where = new Where<SqlValue>()
    .and('project_number = ?', (await projectOf(db, tenant)).number)
    .and('session_id IS NOT NULL')
    .and('session_id = ?', filter.sessionId)
    .and('first_ms >= ?', wholeMs(filter.fromMs))
    .and('first_ms < ?', wholeMs(filter.toMs))
    .and(oneOf('env_project_id', '?'), filter.envProjectIds)
  // Which sessions they are is found out first: adding up is slow, and is done for these alone.
  const newest = await db.all<{ session_id: string }>(
    numberPlaces(
      `SELECT session_id FROM traces ${indexedBy(SESSION_INDEX)} WHERE ${where.sql} GROUP BY session_id
       ${after ? 'HAVING (max(last_ms), session_id) < (?, ?)' : ''}
       ORDER BY max(last_ms) DESC, session_id DESC LIMIT ?`,
    ),
    ...where.values,
    ...(after ? [after.lastMs, after.sessionId] : []),
    limit,
  )
  where.and(
    oneOf('session_id', '?'),
    newest.map((row) => row.session_id),
  )
  const rows = await db.all<SessionRow & { uses: string }>(
    numberPlaces(
      `SELECT ${SESSION_COLUMNS},
         '[' || coalesce(string_agg(model_use, ',') FILTER (WHERE model_use <> '{}'), '') || ']' AS uses
       FROM traces ${indexedBy(SESSION_INDEX)} WHERE ${where.sql}
       GROUP BY session_id ORDER BY max(last_ms) DESC, session_id DESC`,
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
