import type { EvaluationStatus } from '../../domain/evaluation.ts'
import type { EvaluationScope } from '../../domain/evaluator.ts'
import type { DatedVersion, ErrorCount, MonitorFilter, StoredMonitor } from '../../ports/result-storage.ts'
import { parseRule } from './stored-verdict.ts'
import { Where } from './where.ts'

/** Most versions of one monitor that are told. */
export const VERSIONS_MAX = 100
/** Newest evaluations of each version among which errors are counted. */
export const RECENT_EVALUATIONS = 500
/** Most messages in the summary of errors. */
const ERRORS_MAX = 5
/** How many of the newest versions are asked for what happened lately; the others have stopped long ago. */
const RECENT_VERSIONS = 5

/** A row of `SELECT_MONITOR`. */
export interface MonitorRow {
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
  verdict_rule: string | null
  /** Numbers of evaluations that were judged again, and that are to be. */
  derived: number | null
  to_derive: number | null
}

export const SELECT_MONITOR = `
  SELECT m.number, m.id, m.slug, m.evaluator_id, m.version_number, m.is_active, m.created_at_ms, m.updated_at_ms,
         s.external_id, s.env_project_id, m.verdict_rule,
         (SELECT sum(v.verdict_next - v.verdict_first) FROM monitor_versions v
          WHERE v.monitor_number = m.number AND v.verdict_next <= v.verdict_last) AS derived,
         (SELECT sum(v.verdict_last + 1 - v.verdict_first) FROM monitor_versions v
          WHERE v.monitor_number = m.number AND v.verdict_next <= v.verdict_last) AS to_derive
  FROM monitors m JOIN setups s ON s.id = m.setup_id`

/** Which rows of `SELECT_MONITOR` are meant. */
export function monitorsWhere(project: number, filter: MonitorFilter, afterNumber?: number): Where {
  return new Where()
    .and('m.project_number = ?', project)
    .and('s.external_id = ?', filter.externalId)
    .and('m.slug = ?', filter.slug)
    .and('m.is_active = ?', filter.isActive === undefined ? undefined : Number(filter.isActive))
    .and('m.number > ?', afterNumber)
}

/** A row of `monitor_versions`. */
export interface MonitorVersionRow {
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

/** How many units of a monitor came to what. */
export interface StatusCountRow {
  status: EvaluationStatus
  units: number
}

/** How many of the newest evaluations of one version ended with a message. */
export interface ErrorRow {
  status: EvaluationStatus
  message: string
  count: number
  last_at_ms: number
}

/** The versions of a monitor, the newest first; the current one apart, because it may be older than all that are told. */
export interface MonitorVersions {
  readonly versions: readonly DatedVersion[]
  readonly current: DatedVersion
}

/** Rows of versions of a monitor, the current one among them, in any order. */
export function toMonitorVersions(monitor: MonitorRow, rows: readonly MonitorVersionRow[]): MonitorVersions {
  const versions = rows
    .toSorted((left, right) => right.version - left.version)
    .map((row) => toDatedVersion(monitor, row))
  const current = versions.find(({ number }) => number === monitor.version_number)
  if (!current) throw new Error(`monitor ${monitor.id} has no version`)
  return { versions: versions.slice(0, VERSIONS_MAX), current }
}

function toDatedVersion(
  { slug, evaluator_id: evaluatorId }: MonitorRow,
  row: MonitorVersionRow,
): DatedVersion {
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

/** The versions that are asked for what happened lately. */
export function recentVersions({ versions, current }: MonitorVersions): number[] {
  return [current, ...versions.filter(({ number }) => number !== current.number)]
    .slice(0, RECENT_VERSIONS)
    .map(({ number }) => number)
}

/** A monitor with what came of its evaluations; `lastRuns` are the newest times of recording of its recent versions. */
export function toMonitor(
  row: MonitorRow,
  { versions, current }: MonitorVersions,
  counts: readonly StatusCountRow[],
  lastRuns: readonly number[],
  errors: readonly ErrorRow[],
): StoredMonitor {
  return {
    number: row.number,
    id: row.id,
    externalId: row.external_id,
    envProjectId: row.env_project_id,
    isActive: row.is_active === 1,
    current,
    versions,
    counts: Object.fromEntries(counts.map(({ status, units }) => [status, units])),
    ...(lastRuns.length === 0 ? {} : { lastRunAtMs: Math.max(...lastRuns) }),
    errors: sumErrors(errors),
    ...(row.verdict_rule === null ? {} : { verdictRule: parseRule(row.verdict_rule) }),
    ...(row.to_derive === null ? {} : { verdictProgress: Number(row.derived) / Number(row.to_derive) }),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}

function sumErrors(rows: readonly ErrorRow[]): ErrorCount[] {
  const counts = new Map<string, { -readonly [Key in keyof ErrorCount]: ErrorCount[Key] }>()
  for (const { status, message, count: units, last_at_ms: lastAtMs } of rows) {
    const key = JSON.stringify([status, message])
    const count = counts.get(key) ?? { status, message, count: 0, lastAtMs }
    counts.set(key, count)
    count.count += units
    count.lastAtMs = Math.max(count.lastAtMs, lastAtMs)
  }
  return [...counts.values()]
    .sort((left, right) => right.count - left.count || right.lastAtMs - left.lastAtMs)
    .slice(0, ERRORS_MAX)
}
