import type { EvaluationStatus } from '../../domain/evaluation.ts'
import type { EvaluationScope } from '../../domain/evaluator.ts'
import type { ProjectScope } from '../../domain/tenant.ts'
import type { DatedVersion, ErrorCount, MonitorFilter, StoredMonitor } from '../../ports/result-storage.ts'
import { notDeleted } from './deleted-traces.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Most versions of one monitor that are told. */
const VERSIONS_MAX = 100
/** Newest evaluations of each version among which errors are counted. */
const RECENT_EVALUATIONS = 500
/** Most messages in the summary of errors. */
const ERRORS_MAX = 5
/** How many of the newest versions are asked for what happened lately; the others have stopped long ago. */
const RECENT_VERSIONS = 5

type Value = string | number

interface MonitorRow {
  number: number
  id: string
  slug: string
  evaluator_id: string
  version_number: number
  is_active: number
  created_at_ms: number
  updated_at_ms: number
  external_id: string
  env_project_id: string
}

interface VersionRow {
  number: number
  monitor_number: number
  version: number
  evaluator_version: number
  scope: EvaluationScope
  config: string
  mapping: string
  sampling_rate: number
  judge: string | null
  created_at_ms: number
}

const SELECT_MONITOR = `
  SELECT m.number, m.id, m.slug, m.evaluator_id, m.version_number, m.is_active, m.created_at_ms, m.updated_at_ms,
         s.external_id, s.env_project_id
  FROM monitors m JOIN setups s ON s.id = m.setup_id WHERE m.project_number = ?`

export function listMonitors(
  db: SqliteDatabase,
  scope: ProjectScope,
  filter: MonitorFilter,
  { afterNumber, limit }: { readonly afterNumber?: number; readonly limit: number },
): StoredMonitor[] {
  const conditions: string[] = []
  const values: Value[] = [projectOf(db, scope).number]
  const where = (condition: string, value: Value | undefined) => {
    if (value === undefined) return
    conditions.push(` AND ${condition}`)
    values.push(value)
  }
  where('s.external_id = ?', filter.externalId)
  where('m.slug = ?', filter.slug)
  where('m.is_active = ?', filter.isActive === undefined ? undefined : Number(filter.isActive))
  where('m.number > ?', afterNumber)
  const rows = db.all<MonitorRow>(
    `${SELECT_MONITOR}${conditions.join('')} ORDER BY m.number LIMIT ?`,
    ...values,
    limit,
  )
  return rows.map((row) => toMonitor(db, row))
}

export function getMonitor(
  db: SqliteDatabase,
  scope: ProjectScope,
  monitorId: string,
): StoredMonitor | undefined {
  const row = db.get<MonitorRow>(`${SELECT_MONITOR} AND m.id = ?`, projectOf(db, scope).number, monitorId)
  return row && toMonitor(db, row)
}

function toMonitor(db: SqliteDatabase, row: MonitorRow): StoredMonitor {
  const versions = versionsOf(db, row)
  const current = versions.find(({ number }) => number === row.version_number) ?? versionOf(db, row)
  const recent = [current, ...versions.filter(({ number }) => number !== current.number)]
    .slice(0, RECENT_VERSIONS)
    .map(({ number }) => number)
  const lastRunAtMs = lastRun(db, recent)
  return {
    number: row.number,
    id: row.id,
    externalId: row.external_id,
    envProjectId: row.env_project_id,
    isActive: row.is_active === 1,
    current,
    versions,
    counts: countsOf(db, row.number),
    ...(lastRunAtMs === undefined ? {} : { lastRunAtMs }),
    errors: errorsOf(db, recent),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}

function versionsOf(db: SqliteDatabase, monitor: MonitorRow): DatedVersion[] {
  return db
    .all<VersionRow>(
      'SELECT * FROM monitor_versions WHERE monitor_number = ? ORDER BY version DESC LIMIT ?',
      monitor.number,
      VERSIONS_MAX,
    )
    .map((row) => toVersion(monitor, row))
}

function versionOf(db: SqliteDatabase, monitor: MonitorRow): DatedVersion {
  const row = db.get<VersionRow>('SELECT * FROM monitor_versions WHERE number = ?', monitor.version_number)
  if (!row) throw new Error(`monitor ${monitor.id} has no version`)
  return toVersion(monitor, row)
}

function toVersion({ slug, evaluator_id: evaluatorId }: MonitorRow, row: VersionRow): DatedVersion {
  return {
    number: row.number,
    version: row.version,
    slug,
    evaluatorId,
    evaluatorVersion: row.evaluator_version,
    scope: row.scope,
    config: JSON.parse(row.config),
    mapping: JSON.parse(row.mapping),
    samplingRate: row.sampling_rate,
    ...(row.judge === null ? {} : { judge: row.judge }),
    createdAtMs: row.created_at_ms,
  }
}

function countsOf(db: SqliteDatabase, monitorNumber: number): Partial<Record<EvaluationStatus, number>> {
  const rows = db.all<{ status: EvaluationStatus; units: number }>(
    `SELECT t.status, sum(t.units) AS units
     FROM monitor_versions v JOIN status_totals t ON t.monitor_version = v.number
     WHERE v.monitor_number = ? GROUP BY t.status ORDER BY t.status`,
    monitorNumber,
  )
  return Object.fromEntries(rows.map(({ status, units }) => [status, units]))
}

function lastRun(db: SqliteDatabase, versions: readonly number[]): number | undefined {
  const row = db.get<{ at_ms: number | null }>(
    `SELECT max((SELECT created_at_ms FROM evaluations WHERE monitor_version = v.value
                 ORDER BY number DESC LIMIT 1)) AS at_ms FROM json_each(?) v`,
    JSON.stringify(versions),
  )
  return row?.at_ms ?? undefined
}

function errorsOf(db: SqliteDatabase, versions: readonly number[]): ErrorCount[] {
  const counts = new Map<string, { -readonly [Key in keyof ErrorCount]: ErrorCount[Key] }>()
  for (const version of versions) {
    for (const row of recentErrors(db, version)) {
      const { status, message, last_at_ms: lastAtMs } = row
      const key = JSON.stringify([status, message])
      const count = counts.get(key) ?? { status, message, count: 0, lastAtMs }
      counts.set(key, count)
      count.count += row.count
      count.lastAtMs = Math.max(count.lastAtMs, lastAtMs)
    }
  }
  return [...counts.values()]
    .sort((left, right) => right.count - left.count || right.lastAtMs - left.lastAtMs)
    .slice(0, ERRORS_MAX)
}

function recentErrors(db: SqliteDatabase, version: number) {
  return db.all<{ status: EvaluationStatus; message: string; count: number; last_at_ms: number }>(
    `SELECT status, error_message AS message, count(*) AS count, max(created_at_ms) AS last_at_ms FROM (
       SELECT status, error_message, created_at_ms, is_current FROM evaluations e
       WHERE monitor_version = ? AND ${notDeleted('e')} ORDER BY number DESC LIMIT ?)
     WHERE error_message IS NOT NULL AND is_current = 1 GROUP BY status, error_message`,
    version,
    RECENT_EVALUATIONS,
  )
}
