import type { ProjectScope } from '../../domain/tenant.ts'
import type { MinuteSpan, MonitorTrend, ProjectVolume, TrendQuery } from '../../ports/overview-storage.ts'
import {
  type CurrentVersionRow,
  followedOf,
  minuteSpan,
  SELECT_MONITOR_VERSIONS,
  type SumsRow,
  toTrend,
  toVolume,
  trendPlaces,
  type VersionCountRow,
  type VersionVolumeRow,
} from '../shared/overview-rows.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function readVolume(
  db: SqliteDatabase,
  scope: ProjectScope,
  { limit, ...span }: MinuteSpan & { readonly limit: number },
): ProjectVolume {
  const versions = db.all<VersionVolumeRow & Record<string, unknown>>(
    `${SELECT_MONITOR_VERSIONS} WHERE m.project_number = ?`,
    projectOf(db, scope).number,
  )
  const counts = db.statement(
    `SELECT monitor_version, status, sum(units) AS units FROM status_rollups
     WHERE monitor_version = ? AND minute >= ? AND minute < ? GROUP BY status`,
  )
  const rows = versions.flatMap(
    ({ number }) => counts.all(number, ...minuteSpan(span)) as unknown as VersionCountRow[],
  )
  return toVolume(versions, rows, limit)
}

/** One statement for each bucket: minutes that lie together are added up without being sorted into groups first. */
export function readTrends(db: SqliteDatabase, scope: ProjectScope, query: TrendQuery): MonitorTrend[] {
  const current = db.all<CurrentVersionRow & Record<string, unknown>>(
    `SELECT id, version_number FROM monitors
     WHERE project_number = ? AND id IN (SELECT value FROM json_each(?))`,
    projectOf(db, scope).number,
    JSON.stringify(query.monitors.map(({ monitorId }) => monitorId)),
  )
  const sums = db.statement(
    `SELECT coalesce(sum(count), 0) AS count, sum(sum) AS sum, min(min) AS min, max(max) AS max FROM value_rollups
     WHERE monitor_version = ? AND minute >= ? AND minute < ? AND property = ? AND count > 0`,
  )
  const { bucket: minutes, from, first, last, previousFrom } = trendPlaces(query)
  return followedOf(query, current).map((followed) => {
    const { version, property } = followed
    const sumsOf = (start: number, end: number) =>
      sums.get(version, start, end, property) as unknown as SumsRow
    const buckets = []
    for (let bucket = first; bucket < last; bucket++) {
      const row = sumsOf(bucket * minutes, (bucket + 1) * minutes)
      if (row.count > 0) buckets.push({ ...row, bucket })
    }
    return toTrend(followed, query, sumsOf(previousFrom, from), buckets)
  })
}
