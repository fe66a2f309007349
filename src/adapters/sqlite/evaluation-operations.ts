import type { EvaluationStatus } from '../../domain/evaluation.ts'
import type { EvaluationScope } from '../../domain/evaluator.ts'
import type { ProjectScope } from '../../domain/tenant.ts'
import type {
  EvaluationDetail,
  EvaluationFilter,
  EvaluationPage,
  EvaluationRange,
  StoredEvaluation,
} from '../../ports/result-storage.ts'
import { notDeleted } from './deleted-traces.ts'
import { projectOf, toHex } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { readMonitorVersions } from './work-operations.ts'

/** Most evaluations that are looked at for one page, per index that is walked. */
const EXAMINED_MAX = 20_000
/** Up to so many versions are walked one by one, each by its own index; more are picked out of the whole project. */
const WALKED_VERSIONS_MAX = 20
/** The index that keeps units unique. Left to itself SQLite would rather go through all evaluations in their order. */
export const UNIT_INDEX = 'sqlite_autoindex_evaluations_1'
/** Evaluations are numbered as the clock goes; if it was set back, then by less than this. */
const CLOCK_SLACK_MS = 3_600_000

/** Length of the id of a span. */
const SPAN_ID_BYTES = 8

type Value = string | number | Uint8Array

export interface EvaluationRow {
  number: number
  monitor_version: number
  trace_id: Uint8Array
  span_id: Uint8Array
  generation: number
  is_current: number
  status: EvaluationStatus
  output: string | null
  error_message: string | null
  session_id: string | null
  batch_id: number
  ordinal: number
  unit_at_ms: number
  duration_us: number
  judgement: string | null
  judge: string | null
  created_at_ms: number
  monitor_id: string
  slug: string
  external_id: string
  env_project_id: string
  environment: string
  scope: EvaluationScope
  version: number
}

/** Numbers between which to look; both are left out. */
interface Span {
  low: number
  high: number
}

export function listEvaluations(
  db: SqliteDatabase,
  scope: ProjectScope,
  filter: EvaluationFilter,
  range: EvaluationRange,
): EvaluationPage {
  const { number: project } = projectOf(db, scope)
  const versions = versionsOf(db, project, filter)
  if (versions?.length === 0) return { evaluations: [] }
  const span = spanOf(db, filter, range)
  if (filter.traceId !== undefined) {
    // All evaluations of a trace lie together under each version; there are never many, so they are sorted as found.
    const all = versions ?? allVersions(db, project)
    const where = 'e.monitor_version IN (SELECT value FROM json_each(?)) AND e.trace_id = ?'
    const values = [JSON.stringify(all), fromHex(filter.traceId)]
    const rows = select(db, filter, range, span, { index: UNIT_INDEX, where, values })
    return pageOf(rows, range, undefined)
  }
  const walks = walksOf(project, versions)
  const stop = stopOf(db, walks, range, span)
  const within = stop === undefined ? span : cutAt(span, range, stop)
  const rows = walks.flatMap((walk) => select(db, filter, range, within, walk))
  return pageOf(rows, range, stop)
}

export function getEvaluation(
  db: SqliteDatabase,
  scope: ProjectScope,
  number: number,
): EvaluationDetail | undefined {
  const { number: project } = projectOf(db, scope)
  const row = db.get<EvaluationRow>(
    joined(`SELECT * FROM evaluations e WHERE project_number = ? AND number = ? AND ${notDeleted('e')}`),
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
  const conditions: string[] = []
  const values: Value[] = []
  const where = (condition: string, value: string | undefined) => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  where('s.external_id = ?', filter.externalId)
  where('m.id = ?', filter.monitorId)
  where('m.slug = ?', filter.slug)
  where(
    'n.slug IN (SELECT value FROM json_each(?))',
    filter.environments && JSON.stringify(filter.environments),
  )
  return conditions.length === 0 ? undefined : allVersions(db, project, conditions, values)
}

export function allVersions(
  db: SqliteDatabase,
  project: number,
  conditions: readonly string[] = [],
  values: readonly Value[] = [],
): number[] {
  const rows = db.all<{ number: number }>(
    `SELECT v.number FROM monitors m
     JOIN monitor_versions v ON v.monitor_number = m.number
     JOIN setups s ON s.id = m.setup_id
     JOIN environments n ON n.env_project_id = s.env_project_id
     WHERE ${['m.project_number = ?', ...conditions].join(' AND ')}`,
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

function walksOf(project: number, versions: readonly number[] | undefined): Walk[] {
  if (versions && versions.length <= WALKED_VERSIONS_MAX) {
    const key = 'e.monitor_version = ?'
    return versions.map((version) => ({
      index: 'evaluations_by_monitor',
      where: key,
      values: [version],
      key,
      keyValue: version,
    }))
  }
  const key = 'e.project_number = ?'
  const only = versions ? ' AND e.monitor_version IN (SELECT value FROM json_each(?))' : ''
  return [
    {
      index: 'evaluations_by_project',
      where: key + only,
      values: versions ? [project, JSON.stringify(versions)] : [project],
      key,
      keyValue: project,
    },
  ]
}

/** The number at which looking ends although there is more to look at; undefined when everything can be looked at. */
function stopOf(
  db: SqliteDatabase,
  walks: readonly Walk[],
  { order }: EvaluationRange,
  { low, high }: Span,
): number | undefined {
  const direction = order === 'newest' ? 'DESC' : 'ASC'
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
  if (stops.length === 0) return undefined
  return order === 'newest' ? Math.max(...stops) : Math.min(...stops)
}

function cutAt({ low, high }: Span, { order }: EvaluationRange, stop: number): Span {
  return order === 'newest' ? { low: stop - 1, high } : { low, high: stop + 1 }
}

function select(
  db: SqliteDatabase,
  filter: EvaluationFilter,
  { order, limit }: EvaluationRange,
  { low, high }: Span,
  { index, where, values }: Pick<Walk, 'index' | 'where' | 'values'>,
): EvaluationRow[] {
  const rest = conditionsOf(filter)
  const sorted = `ORDER BY e.number ${order === 'newest' ? 'DESC' : 'ASC'}`
  const inner = `SELECT * FROM evaluations e INDEXED BY ${index}
    WHERE ${[where, 'e.number > ? AND e.number < ?', ...rest.conditions, notDeleted('e')].join(' AND ')} ${sorted} LIMIT ?`
  return db.all<EvaluationRow>(`${joined(inner)} ${sorted}`, ...values, low, high, ...rest.values, limit + 1)
}

function conditionsOf(filter: EvaluationFilter): { conditions: string[]; values: Value[] } {
  const conditions: string[] = []
  const values: Value[] = []
  const where = (condition: string, value: Value | undefined) => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  if (filter.status === 'superseded') conditions.push('e.is_current = 0')
  else if (filter.status !== undefined) where('e.is_current = 1 AND e.status = ?', filter.status)
  else if (!filter.withHistory) conditions.push('e.is_current = 1')
  where('e.span_id = ?', filter.spanId === undefined ? undefined : fromHex(filter.spanId))
  where('e.value >= ?', filter.minValue)
  where('e.value <= ?', filter.maxValue)
  where('e.created_at_ms >= ?', filter.fromMs)
  where('e.created_at_ms < ?', filter.toMs)
  where('EXISTS (SELECT 1 FROM json_each(e.output) WHERE key = ?)', filter.property)
  return { conditions, values }
}

function spanOf(db: SqliteDatabase, filter: EvaluationFilter, { order, afterNumber }: EvaluationRange): Span {
  const span = { low: 0, high: Number.MAX_SAFE_INTEGER }
  if (filter.fromMs !== undefined) span.low = firstRecordedAt(db, filter.fromMs - CLOCK_SLACK_MS) - 1
  if (filter.toMs !== undefined) span.high = firstRecordedAt(db, filter.toMs + CLOCK_SLACK_MS)
  if (afterNumber === undefined) return span
  if (order === 'newest') return { ...span, high: Math.min(span.high, afterNumber) }
  return { ...span, low: Math.max(span.low, afterNumber) }
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

export function joined(evaluations: string): string {
  return `SELECT e.number, e.monitor_version, e.trace_id, e.span_id, e.generation, e.is_current, e.status, e.output,
      e.error_message, e.session_id, e.batch_id, e.ordinal, e.unit_at_ms, e.duration_us, e.judgement, e.created_at_ms,
      m.id AS monitor_id, m.slug, s.external_id, s.env_project_id, n.slug AS environment, v.scope, v.version, v.judge
    FROM (${evaluations}) e
    JOIN monitor_versions v ON v.number = e.monitor_version
    JOIN monitors m ON m.number = v.monitor_number
    JOIN setups s ON s.id = m.setup_id
    JOIN environments n ON n.env_project_id = s.env_project_id`
}

// Each walk has given up to one more than a page; together they are in no order.
function pageOf(
  rows: readonly EvaluationRow[],
  { order, limit }: EvaluationRange,
  stop: number | undefined,
): EvaluationPage {
  const sign = order === 'newest' ? -1 : 1
  const sorted = rows.toSorted((left, right) => sign * (left.number - right.number))
  const evaluations = sorted.slice(0, limit).map(toEvaluation)
  const nextAfter = sorted.length > limit ? evaluations.at(-1)?.number : stop
  return { evaluations, ...(nextAfter === undefined ? {} : { nextAfter }) }
}

export function toEvaluation(row: EvaluationRow): StoredEvaluation {
  return {
    number: row.number,
    monitorId: row.monitor_id,
    externalId: row.external_id,
    envProjectId: row.env_project_id,
    environment: row.environment,
    slug: row.slug,
    scope: row.scope,
    version: row.version,
    traceId: toHex(row.trace_id),
    // A trace has none, and a session has a name of its own in its place.
    ...(row.span_id.length === SPAN_ID_BYTES ? { spanId: toHex(row.span_id) } : {}),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    status: row.is_current === 1 ? row.status : 'superseded',
    generation: row.generation,
    ...(row.output === null ? {} : { output: JSON.parse(row.output) }),
    ...(row.error_message === null ? {} : { errorMessage: row.error_message }),
    batchId: row.batch_id,
    ordinal: row.ordinal,
    unitAtMs: row.unit_at_ms,
    durationUs: row.duration_us,
    ...(row.judge === null ? {} : { judge: row.judge }),
    ...(row.judgement === null ? {} : { judgement: JSON.parse(row.judgement) }),
    createdAtMs: row.created_at_ms,
  }
}

function fromHex(text: string): Uint8Array {
  return Buffer.from(text, 'hex')
}
