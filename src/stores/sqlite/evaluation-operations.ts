import type { ProjectTenant } from '../../domain/tenant.ts'
import type {
  EvaluationDetail,
  EvaluationFilter,
  EvaluationPage,
  EvaluationRange,
} from '../../ports/result-storage.ts'
import { UNIT_INDEX } from '../shared/evaluation-indexes.ts'
import {
  behindPage,
  cutAt,
  EXAMINED_MAX,
  evaluationConditions,
  firstInOrder,
  IS_FAILURE,
  IS_FAILURE_OF_APPLICATION,
  monitorConditions,
  type NumberSpan,
  pageOf,
  type ResolvedFilter,
  recordedBetween,
  SELECT_APPLICATION,
  SELECT_VERSIONS,
  WALKED_VERSIONS_MAX,
  wantsFailures,
} from '../shared/evaluation-page.ts'
import { type EvaluationRow, fromHex, joinOwners, toEvaluation } from '../shared/evaluation-rows.ts'
import { notDeleted } from './deleted-traces.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { readMonitorVersions } from './work-operations.ts'

type Value = string | number | Uint8Array

export function listEvaluations(
  db: SqliteDatabase,
  tenant: ProjectTenant,
  asked: EvaluationFilter,
  range: EvaluationRange,
): EvaluationPage {
  const { number: project } = projectOf(db, tenant)
  const versions = versionsOf(db, project, asked)
  const filter = resolve(db, project, asked)
  if (versions?.length === 0 || !filter) return { evaluations: [] }
  const span = spanOf(db, filter, range)
  if (filter.traceId !== undefined) {
    // All evaluations of a trace lie together under each version; there are never many, so they are sorted as found.
    const all = versions ?? allVersions(db, project)
    const where = 'e.monitor_version IN (SELECT value FROM json_each(?)) AND e.trace_id = ?'
    const values = [JSON.stringify(all), fromHex(filter.traceId)]
    const rows = select(db, filter, range, span, { index: UNIT_INDEX, where, values })
    return pageOf(rows, range, undefined)
  }
  const walks = walksOf(project, versions, filter)
  const stop = stopOf(db, walks, range, span)
  const within = stop === undefined ? span : cutAt(span, range, stop)
  const rows = walks.flatMap((walk) => select(db, filter, range, within, walk))
  return pageOf(rows, range, stop)
}

export function getEvaluation(
  db: SqliteDatabase,
  tenant: ProjectTenant,
  number: number,
): EvaluationDetail | undefined {
  const { number: project } = projectOf(db, tenant)
  const row = db.get<EvaluationRow>(
    joinOwners(`SELECT * FROM evaluations e WHERE project_number = ? AND number = ? AND ${notDeleted('e')}`),
    project,
    number,
  )
  if (!row) return undefined
  const [monitorVersion] = readMonitorVersions(db, [row.monitor_version])
  if (!monitorVersion) throw new Error(`evaluation ${number} has no monitor version`)
  const batch = db.get<{ received_at_ms: number }>(
    'SELECT received_at_ms FROM span_batches WHERE id = ? AND project_number = ?',
    row.batch_id,
    project,
  )
  return { ...toEvaluation(row), monitorVersion, ...(batch && { receivedAtMs: batch.received_at_ms }) }
}

/** The monitor versions that the filter leaves, or undefined when it says nothing about monitors. */
function versionsOf(db: SqliteDatabase, project: number, filter: EvaluationFilter): number[] | undefined {
  const where = monitorConditions(filter).and(
    'n.slug IN (SELECT value FROM json_each(?))',
    filter.environments && JSON.stringify(filter.environments),
  )
  return where.sql === '' ? undefined : allVersions(db, project, [where.sql], where.values)
}

/** Undefined where the filter names an application that there is none of. */
function resolve(db: SqliteDatabase, project: number, filter: EvaluationFilter): ResolvedFilter | undefined {
  if (filter.application === undefined) return filter
  const row = db.get<{ number: number }>(SELECT_APPLICATION, project, filter.application)
  return row && { ...filter, applicationNumber: row.number }
}

export function allVersions(
  db: SqliteDatabase,
  project: number,
  conditions: readonly string[] = [],
  values: readonly Value[] = [],
): number[] {
  const rows = db.all<{ number: number }>(
    `${SELECT_VERSIONS} WHERE ${['m.project_number = ?', ...conditions].join(' AND ')}`,
    project,
    ...values,
  )
  return rows.map(({ number }) => number)
}

/** A way through the evaluations in order of their number, along one index. */
interface Walk {
  readonly index: string
  readonly where: string
  readonly values: readonly Value[]
  /** The part of `where` that the index answers by itself. */
  readonly key: string
  readonly keyValue: number
}

function walksOf(project: number, versions: readonly number[] | undefined, filter: ResolvedFilter): Walk[] {
  const isOfFailures = wantsFailures(filter)
  const among = isOfFailures ? ` AND ${IS_FAILURE}` : ''
  const indexOf = (column: string) => `evaluations_${isOfFailures ? 'failed_' : ''}by_${column}`
  if (versions && versions.length <= WALKED_VERSIONS_MAX) {
    const key = `e.monitor_version = ?${among}`
    return versions.map((version) => ({
      index: indexOf('monitor'),
      where: key,
      values: [version],
      key,
      keyValue: version,
    }))
  }
  const { applicationNumber } = filter
  const isOfApplication = isOfFailures && applicationNumber !== undefined
  const key = isOfApplication
    ? `e.application = ? AND ${IS_FAILURE_OF_APPLICATION}`
    : `e.project_number = ?${among}`
  const keyValue = isOfApplication ? applicationNumber : project
  const only = versions ? ' AND e.monitor_version IN (SELECT value FROM json_each(?))' : ''
  return [
    {
      index: indexOf(isOfApplication ? 'application' : 'project'),
      where: key + only,
      values: versions ? [keyValue, JSON.stringify(versions)] : [keyValue],
      key,
      keyValue,
    },
  ]
}

/** The number at which looking ends although there is more to look at; undefined when everything can be looked at. */
function stopOf(
  db: SqliteDatabase,
  walks: readonly Walk[],
  range: EvaluationRange,
  { low, high }: NumberSpan,
): number | undefined {
  const direction = range.order === 'newest' ? 'DESC' : 'ASC'
  const stops = walks.flatMap(({ index, key, keyValue }) => {
    const row = db.get<{ number: number }>(
      `SELECT e.number FROM evaluations e INDEXED BY ${index} WHERE ${key} AND e.number > ? AND e.number < ?
       ORDER BY e.number ${direction} LIMIT 1 OFFSET ?`,
      keyValue,
      low,
      high,
      EXAMINED_MAX,
    )
    return row ? [row.number] : []
  })
  return firstInOrder(stops, range)
}

function select(
  db: SqliteDatabase,
  filter: ResolvedFilter,
  { order, limit }: EvaluationRange,
  { low, high }: NumberSpan,
  { index, where, values }: Pick<Walk, 'index' | 'where' | 'values'>,
): EvaluationRow[] {
  const rest = evaluationConditions(filter)
    .and('EXISTS (SELECT 1 FROM json_each(e.output) WHERE key = ?)', filter.property)
    .and(notDeleted('e'))
  const sorted = `ORDER BY e.number ${order === 'newest' ? 'DESC' : 'ASC'}`
  const inner = `SELECT * FROM evaluations e INDEXED BY ${index}
    WHERE ${where} AND e.number > ? AND e.number < ? AND ${rest.sql} ${sorted} LIMIT ?`
  return db.all<EvaluationRow>(
    `${joinOwners(inner)} ${sorted}`,
    ...values,
    low,
    high,
    ...rest.values,
    limit + 1,
  )
}

function spanOf(db: SqliteDatabase, filter: EvaluationFilter, range: EvaluationRange): NumberSpan {
  const { fromMs, toMs } = recordedBetween(filter)
  const low = fromMs === undefined ? 0 : firstRecordedAt(db, fromMs) - 1
  const high = toMs === undefined ? Number.MAX_SAFE_INTEGER : firstRecordedAt(db, toMs)
  return behindPage({ low, high }, range)
}

/** The smallest number that was recorded at that time or later, found by halving. */
function firstRecordedAt(db: SqliteDatabase, atMs: number): number {
  let low = 1
  let high = (db.get<{ last: number | null }>('SELECT max(number) AS last FROM evaluations')?.last ?? 0) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = db.get<{ number: number; created_at_ms: number }>(
      'SELECT number, created_at_ms FROM evaluations WHERE number >= ? ORDER BY number LIMIT 1',
      middle,
    )
    if (row && row.created_at_ms < atMs) low = row.number + 1
    else high = middle
  }
  return low
}
