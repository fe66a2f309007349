import type { ProjectTenant } from '../../domain/tenant.ts'
import type { MinuteSpan, MonitorTrend, ProjectVolume, TrendQuery } from '../../ports/overview-storage.ts'
import {
  type CurrentVersionRow,
  type Followed,
  followedOf,
  SELECT_MONITOR_VERSIONS,
  type TrendSums,
  toTrend,
  toVolume,
  type VersionCountRow,
  type VersionVolumeRow,
} from './overview-rows.ts'
import { projectOf } from './project-of.ts'
import type { Sql } from './sql.ts'

/** How an engine adds up minutes: a server is asked once for all of them, SQLite is kept from sorting them. */
export interface AddMinutes {
  /** Counts the units of each version by their status. */
  readCounts(db: Sql, versions: readonly number[], span: MinuteSpan): Promise<VersionCountRow[]>
  /** Adds up the numbers of all that is followed; the rows are in no order. */
  readSums(db: Sql, followed: readonly Followed[], query: TrendQuery): Promise<TrendSums[]>
}

/** The operations of an engine that adds up minutes in that way. */
export function overviewOperations({ readCounts, readSums }: AddMinutes) {
  return {
    async readVolume(
      db: Sql,
      tenant: ProjectTenant,
      { limit, ...span }: MinuteSpan & { readonly limit: number },
    ): Promise<ProjectVolume> {
      const versions = await db.all<VersionVolumeRow>(
        `${SELECT_MONITOR_VERSIONS} WHERE m.project_number = $1`,
        (await projectOf(db, tenant)).number,
      )
      const numbers = versions.map(({ number }) => number)
      return toVolume(versions, await readCounts(db, numbers, span), limit)
    },

    async readTrends(db: Sql, tenant: ProjectTenant, query: TrendQuery): Promise<MonitorTrend[]> {
      const current = await db.all<CurrentVersionRow>(
        `SELECT id, version_number FROM monitors WHERE project_number = $1 AND ${db.dialect.oneOf('id', '$2')}`,
        (await projectOf(db, tenant)).number,
        query.monitors.map(({ monitorId }) => monitorId),
      )
      const followed = followedOf(query, current)
      const sums = Map.groupBy(await readSums(db, followed, query), ({ place }) => place)
      return followed.map((one, place) => toTrend(one, query, sums.get(place) ?? []))
    },
  }
}
