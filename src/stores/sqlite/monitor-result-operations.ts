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
import { notDeleted } from './deleted-traces.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function listMonitors(
  db: SqliteDatabase,
  scope: ProjectScope,
  filter: MonitorFilter,
  { afterNumber, limit }: { readonly afterNumber?: number; readonly limit: number },
): StoredMonitor[] {
  const where = monitorsWhere(projectOf(db, scope).number, filter, afterNumber)
  const rows = db.all<MonitorRow>(
    `${SELECT_MONITOR} WHERE ${where.sql} ORDER BY m.number LIMIT ?`,
    ...where.values,
    limit,
  )
  return rows.map((row) => readMonitor(db, row))
}

export function getMonitor(
  db: SqliteDatabase,
  scope: ProjectScope,
  monitorId: string,
): StoredMonitor | undefined {
  const where = monitorsWhere(projectOf(db, scope).number, {}).and('m.id = ?', monitorId)
  const row = db.get<MonitorRow>(`${SELECT_MONITOR} WHERE ${where.sql}`, ...where.values)
  return row && readMonitor(db, row)
}

function readMonitor(db: SqliteDatabase, row: MonitorRow): StoredMonitor {
  const versions = toMonitorVersions(row, versionsOf(db, row))
  const recent = recentVersions(versions)
  const errors = recent.flatMap((version) => recentErrors(db, version))
  return toMonitor(row, versions, countsOf(db, row.number), lastRuns(db, recent), errors)
}

function versionsOf(db: SqliteDatabase, monitor: MonitorRow): MonitorVersionRow[] {
  return db.all<MonitorVersionRow & Record<string, unknown>>(
    `SELECT * FROM (SELECT * FROM monitor_versions WHERE monitor_number = ? ORDER BY version DESC LIMIT ?)
     UNION SELECT * FROM monitor_versions WHERE number = ?`,
    monitor.number,
    VERSIONS_MAX,
    monitor.version_number,
  )
}

function countsOf(db: SqliteDatabase, monitorNumber: number): StatusCountRow[] {
  return db.all<StatusCountRow & Record<string, unknown>>(
    `SELECT t.status, sum(t.units) AS units
     FROM monitor_versions v JOIN status_totals t ON t.monitor_version = v.number
     WHERE v.monitor_number = ? GROUP BY t.status ORDER BY t.status`,
    monitorNumber,
  )
}

function lastRuns(db: SqliteDatabase, versions: readonly number[]): number[] {
  const row = db.get<{ at_ms: number | null }>(
    `SELECT max((SELECT created_at_ms FROM evaluations WHERE monitor_version = v.value
                 ORDER BY number DESC LIMIT 1)) AS at_ms FROM json_each(?) v`,
    JSON.stringify(versions),
  )
  return row?.at_ms == null ? [] : [row.at_ms]
}

function recentErrors(db: SqliteDatabase, version: number): ErrorRow[] {
  return db.all<ErrorRow & Record<string, unknown>>(
    `SELECT status, error_message AS message, count(*) AS count, max(created_at_ms) AS last_at_ms FROM (
       SELECT status, error_message, created_at_ms, is_current FROM evaluations e
       WHERE monitor_version = ? AND ${notDeleted('e')} ORDER BY number DESC LIMIT ?)
     WHERE error_message IS NOT NULL AND is_current = 1 GROUP BY status, error_message`,
    version,
    RECENT_EVALUATIONS,
  )
}
