import type { ProjectScope } from '../../domain/tenant.ts'
import type { MonitorFilter, StoredMonitor } from '../../ports/result-storage.ts'
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
} from '../shared/monitor-result-rows.ts'
import { notDeleted } from '../shared/not-deleted.ts'
import { projectOf } from '../shared/project-of.ts'
import type { Sql } from '../shared/sql.ts'
import { numberPlaces } from '../shared/where.ts'

export async function listMonitors(
  tx: Sql,
  scope: ProjectScope,
  filter: MonitorFilter,
  { afterNumber, limit }: { readonly afterNumber?: number; readonly limit: number },
): Promise<StoredMonitor[]> {
  const where = monitorsWhere((await projectOf(tx, scope)).number, filter, afterNumber)
  const rows = await tx.all<MonitorRow>(
    numberPlaces(`${SELECT_MONITOR} WHERE ${where.sql} ORDER BY m.number LIMIT ?`),
    ...where.values,
    limit,
  )
  return readMonitors(tx, rows)
}

export async function getMonitor(
  tx: Sql,
  scope: ProjectScope,
  monitorId: string,
): Promise<StoredMonitor | undefined> {
  const where = monitorsWhere((await projectOf(tx, scope)).number, {}).and('m.id = ?', monitorId)
  const rows = await tx.all<MonitorRow>(numberPlaces(`${SELECT_MONITOR} WHERE ${where.sql}`), ...where.values)
  return (await readMonitors(tx, rows))[0]
}

/** All monitors of a page with the same few statements. */
async function readMonitors(tx: Sql, rows: readonly MonitorRow[]): Promise<StoredMonitor[]> {
  if (rows.length === 0) return []
  const versionRows = await versionsOf(tx, rows)
  const monitors = rows.map((row) => {
    const versions = toMonitorVersions(row, versionRows.get(row.number) ?? [])
    return { row, versions, recent: recentVersions(versions) }
  })
  const recent = monitors.flatMap((monitor) => monitor.recent)
  const counts = await countsOf(
    tx,
    rows.map(({ number }) => number),
  )
  const runs = await lastRuns(tx, recent)
  const errors = await recentErrors(tx, [...runs.keys()])
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
  tx: Sql,
  monitors: readonly MonitorRow[],
): Promise<Map<number, MonitorVersionRow[]>> {
  const rows = await tx.all<MonitorVersionRow>(
    `SELECT found.* FROM unnest($1::bigint[], $2::bigint[]) AS monitor (number, current) CROSS JOIN LATERAL (
       (SELECT * FROM monitor_versions WHERE monitor_number = monitor.number ORDER BY version DESC
        LIMIT ${VERSIONS_MAX})
       UNION SELECT * FROM monitor_versions WHERE number = monitor.current) AS found`,
    monitors.map(({ number }) => number),
    monitors.map(({ version_number: current }) => current),
  )
  return Map.groupBy(rows, ({ monitor_number: number }) => number)
}

async function countsOf(tx: Sql, monitors: readonly number[]): Promise<Map<number, StatusCountRow[]>> {
  const rows = await tx.all<StatusCountRow & { monitor_number: number }>(
    `SELECT v.monitor_number, t.status, sum(t.units) AS units
     FROM monitor_versions v JOIN status_totals t ON t.monitor_version = v.number
     WHERE v.monitor_number = ANY($1) GROUP BY v.monitor_number, t.status ORDER BY t.status`,
    monitors,
  )
  return Map.groupBy(rows, ({ monitor_number: number }) => number)
}

/** When the newest evaluation of each version was recorded; versions without any are left out. */
async function lastRuns(tx: Sql, versions: readonly number[]): Promise<Map<number, number>> {
  const rows = await tx.all<{ version: number; at_ms: number }>(
    `SELECT asked.version, newest.created_at_ms AS at_ms FROM unnest($1::bigint[]) AS asked (version)
     CROSS JOIN LATERAL (SELECT created_at_ms FROM evaluations WHERE monitor_version = asked.version
                         ORDER BY number DESC LIMIT 1) AS newest`,
    versions,
  )
  return new Map(rows.map(({ version, at_ms: atMs }) => [version, atMs]))
}

async function recentErrors(tx: Sql, versions: readonly number[]): Promise<Map<number, ErrorRow[]>> {
  const rows = await tx.all<ErrorRow & { version: number }>(
    `SELECT asked.version, recent.status, recent.error_message AS message, count(*) AS count,
       max(recent.created_at_ms) AS last_at_ms
     FROM unnest($1::bigint[]) AS asked (version) CROSS JOIN LATERAL (
       SELECT status, error_message, created_at_ms, is_current FROM evaluations e
       WHERE monitor_version = asked.version AND ${notDeleted('e')}
       ORDER BY number DESC LIMIT ${RECENT_EVALUATIONS}) AS recent
     WHERE recent.error_message IS NOT NULL AND recent.is_current = 1
     GROUP BY asked.version, recent.status, recent.error_message`,
    versions,
  )
  return Map.groupBy(rows, ({ version }) => version)
}
