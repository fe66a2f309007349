import { createHash } from 'node:crypto'
import type { MonitorPlan, MonitorVersion } from '../../domain/monitor.ts'
import type { SkippedSpans } from '../../domain/span-role.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { MonitorOwner } from '../../ports/work-storage.ts'

/** A version of a monitor with its evaluator. */
export interface VersionRow {
  number: number
  version: number
  slug: string
  evaluator_id: string
  evaluator_version: number
  scope: MonitorVersion['scope']
  config: string
  mapping: string
  sampling_rate: number
  judge: string | null
  skips: SkippedSpans | null
}

export const SELECT_VERSION = `SELECT v.number, v.version, m.slug, m.evaluator_id, v.evaluator_version, v.scope, v.config,
    v.mapping, v.sampling_rate, v.judge, v.skips FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number`

/** A row of `SELECT_VERSION` as the port wants it. */
export function toMonitorVersion(row: VersionRow): MonitorVersion {
  return {
    number: row.number,
    version: row.version,
    slug: row.slug,
    evaluatorId: row.evaluator_id,
    evaluatorVersion: row.evaluator_version,
    scope: row.scope,
    config: JSON.parse(row.config),
    mapping: JSON.parse(row.mapping),
    samplingRate: row.sampling_rate,
    ...(row.judge === null ? {} : { judge: row.judge }),
    ...(row.skips === null ? {} : { skips: row.skips }),
  }
}

/** The plan of a version, without its place in the store. */
export function planOf({ number: _, version: __, ...plan }: MonitorVersion): MonitorPlan {
  return plan
}

/** A version of a monitor with the setup that it works for. */
export interface OwnerRow {
  number: number
  org_id: string
  project_id: string
  setup_id: string
  external_id: string
}

export const SELECT_OWNER = `SELECT v.number, s.org_id, s.project_id, s.id AS setup_id, s.external_id
  FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number JOIN setups s ON s.id = m.setup_id`

/** A row of `SELECT_OWNER` as the port wants it. */
export function toMonitorOwner(row: OwnerRow): MonitorOwner {
  return {
    monitorVersion: row.number,
    orgId: row.org_id,
    projectId: row.project_id,
    setup: { id: row.setup_id, externalId: row.external_id },
  }
}

/** Names a version of a monitor by everything that decides its scores. */
export function hashOf(selector: string | undefined, plan: MonitorPlan): string {
  return createHash('sha256')
    .update(`${selector}\n${canonicalJson(plan)}`)
    .digest('hex')
}

/** A monitor and how far its work for old matches has come. */
export interface MonitorRow {
  number: number
  id: string
  setup_version: number
  version_number: number
  fill_next: number
  fill_last: number
}

/** The facts that decide for which batches a monitor that is being bound needs work. */
export interface FillFacts {
  /** The last batch there is. */
  readonly newest: number
  /** The first batch that the setup matched while it was not completely bound. */
  readonly firstMatch: number | null
  /** The oldest batch that the version before has not done. */
  readonly oldestOpen: number | null
}

/**
 * The batches whose matches need work: for a monitor that is new to this setup version, all since the first match; for one
 * that was stopped for a while, those since then; for one that goes over to another version of its evaluator, those
 * that the old one had not done.
 */
export function fillRange(
  monitor: MonitorRow,
  setupVersion: number,
  versionNumber: number,
  { newest, firstMatch, oldestOpen }: FillFacts,
): { next: number; last: number } {
  const since = firstMatch ?? newest + 1
  if (monitor.setup_version !== setupVersion) return { next: since, last: newest }
  if (monitor.fill_next <= monitor.fill_last)
    return { next: Math.min(monitor.fill_next, since), last: newest }
  if (monitor.version_number === versionNumber) return { next: since, last: newest }
  return { next: Math.min(oldestOpen ?? newest + 1, since), last: newest }
}
