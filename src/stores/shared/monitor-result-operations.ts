import type { ProjectTenant } from '../../domain/tenant.ts'
import type { MonitorFilter, StoredMonitor } from '../../ports/result-storage.ts'
import { allOfEach } from './all-of-each.ts'
import {
  type ErrorRow,
  type MonitorRow,
  type MonitorVersionRow,
  monitorsWhere,
  RECENT_EVALUATIONS,
  recentVersions,
  SELECT_MONITOR,
  type StatusCountRow,
  toMonitor,
  toMonitorVersions,
  VERSIONS_MAX,
} from './monitor-result-rows.ts'
import { notDeleted } from './not-deleted.ts'
import { projectOf } from './project-of.ts'
import type { Sql } from './sql.ts'
import { numberPlaces } from './where.ts'

export async function listMonitors(
  db: Sql,
  tenant: ProjectTenant,
  filter: MonitorFilter,
  { afterNumber, limit }: { readonly afterNumber?: number; readonly limit: number },
): Promise<StoredMonitor[]> {
  const where = monitorsWhere((await projectOf(db, tenant)).number, filter, afterNumber)
  const rows = await db.all<MonitorRow>(
    numberPlaces(`${SELECT_MONITOR} WHERE ${where.sql} ORDER BY m.number LIMIT ?`),
    ...where.values,
    limit,
  )
  return readMonitors(db, rows)
}

export async function getMonitor(
  db: Sql,
  tenant: ProjectTenant,
  monitorId: string,
): Promise<StoredMonitor | undefined> {
  const where = monitorsWhere((await projectOf(db, tenant)).number, {}).and('m.id = ?', monitorId)
  const rows = await db.all<MonitorRow>(numberPlaces(`${SELECT_MONITOR} WHERE ${where.sql}`), ...where.values)
  return (await readMonitors(db, rows))[0]
}

/** All monitors of a page with the same few statements. */
async function readMonitors(db: Sql, rows: readonly MonitorRow[]): Promise<StoredMonitor[]> {
  if (rows.length === 0) return []
  const versionRows = await versionsOf(db, rows)
  const monitors = rows.map((row) => {
    const versions = toMonitorVersions(row, versionRows.get(row.number) ?? [])
    return { row, versions, recent: recentVersions(versions) }
  })
  const recent = monitors.flatMap((monitor) => monitor.recent)
  const counts = await countsOf(
    db,
    rows.map(({ number }) => number),
  )
  const runs = await lastRuns(db, recent)
  const errors = await recentErrors(db, [...runs.keys()])
  return monitors.map(({ row, versions, recent }) =>
    toMonitor(
      row,
      versions,
      counts.get(row.number) ?? [],
      recent.flatMap((version) => runs.get(version) ?? []),
      recent.flatMap((version) => errors.get(version) ?? []),
    ),
  )
}

async function versionsOf(
  db: Sql,
  monitors: readonly MonitorRow[],
): Promise<Map<number, MonitorVersionRow[]>> {
  const rows = await allOfEach<MonitorVersionRow>(
    db,
    { type: 'bigint', list: monitors.map(({ number }) => number), order: 'version' },
    (monitor) => `SELECT * FROM (
        SELECT * FROM monitor_versions WHERE monitor_number = ${monitor} ORDER BY version DESC
        LIMIT ${VERSIONS_MAX}) AS newest
      UNION SELECT * FROM monitor_versions
      WHERE number = (SELECT version_number FROM monitors WHERE number = ${monitor})`,
  )
  return Map.groupBy(rows, ({ monitor_number: number }) => number)
}

async function countsOf(db: Sql, monitors: readonly number[]): Promise<Map<number, StatusCountRow[]>> {
  const rows = await db.all<StatusCountRow & { monitor_number: number }>(
    `SELECT v.monitor_number, t.status, sum(t.units) AS units
     FROM monitor_versions v JOIN status_totals t ON t.monitor_version = v.number
     WHERE ${db.dialect.oneOf('v.monitor_number', '$1')} GROUP BY v.monitor_number, t.status ORDER BY t.status`,
    monitors,
  )
  return Map.groupBy(rows, ({ monitor_number: number }) => number)
}

/** When the newest evaluation of each version was recorded; versions without any are left out. */
async function lastRuns(db: Sql, versions: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.all<{ version: number; at_ms: number | null }>(
    `SELECT v.number AS version, (SELECT created_at_ms FROM evaluations WHERE monitor_version = v.number
                                  ORDER BY number DESC LIMIT 1) AS at_ms
     FROM monitor_versions v WHERE ${db.dialect.oneOf('v.number', '$1')}`,
    versions,
  )
  return new Map(rows.flatMap(({ version, at_ms: atMs }) => (atMs === null ? [] : [[version, atMs]])))
}

async function recentErrors(db: Sql, versions: readonly number[]): Promise<Map<number, ErrorRow[]>> {
  const rows = await allOfEach<ErrorRow & { version: number }>(
    db,
    { type: 'bigint', list: versions, order: 'last_at_ms' },
    (version) => `SELECT monitor_version AS version, status, error_message AS message, count(*) AS count,
        max(created_at_ms) AS last_at_ms
      FROM (SELECT monitor_version, status, error_message, created_at_ms, is_current FROM evaluations e
            WHERE monitor_version = ${version} AND ${notDeleted('e')} ORDER BY number DESC
            LIMIT ${RECENT_EVALUATIONS}) AS recent
      WHERE error_message IS NOT NULL AND is_current = 1 GROUP BY monitor_version, status, error_message`,
  )
  return Map.groupBy(rows, ({ version }) => version)
}
