import type { ProjectTenant } from '../../domain/tenant.ts'
import type { MinuteSpan, MonitorTrend, ProjectVolume, TrendQuery } from '../../ports/overview-storage.ts'
import { MONITOR_FOLDS } from './fold-kinds.ts'
import {
  type CurrentVersionRow,
  type Followed,
  followedOf,
  minuteSpan,
  SELECT_MONITOR_VERSIONS,
  type TrendSums,
  toTrend,
  toVolume,
  trendPlaces,
  type VersionCountRow,
  type VersionVolumeRow,
} from './overview-rows.ts'
import { projectOf } from './project-of.ts'
import { leveled, STRETCH_COLUMNS, stretchesOf, WHOLE_MINUTES } from './read-levels.ts'
import { type AddedNumbersRow, addedNumbers, sumOfNumbers } from './series-rows.ts'
import { Rows, type Sql } from './sql.ts'

/** The volume as `OverviewStorage.readVolume` promises. */
export async function readVolume(
  db: Sql,
  tenant: ProjectTenant,
  { limit, ...span }: MinuteSpan & { readonly limit: number },
): Promise<ProjectVolume> {
  const versions = await db.all<VersionVolumeRow>(
    `${SELECT_MONITOR_VERSIONS} WHERE m.project_number = $1`,
    (await projectOf(db, tenant)).number,
  )
  const numbers = versions.map(({ number }) => number)
  const stretches = await stretchesOf(db, MONITOR_FOLDS, numbers, [...minuteSpan(span), WHOLE_MINUTES])
  const counts = leveled(db.dialect, '$1', MONITOR_FOLDS, {
    ...{ minutes: 'status_rollups', folds: 'status_folds', columns: 'r.monitor_version, r.status, r.units' },
  })
  const rows = await db.all<VersionCountRow>(
    `SELECT monitor_version, status, sum(units) AS units FROM ${counts} GROUP BY monitor_version, status`,
    new Rows(stretches),
  )
  return toVolume(versions, rows, limit)
}

/** Trends as `OverviewStorage.readTrends` promises. */
export async function readTrends(db: Sql, tenant: ProjectTenant, query: TrendQuery): Promise<MonitorTrend[]> {
  const current = await db.all<CurrentVersionRow>(
    `SELECT id, version_number FROM monitors WHERE project_number = $1 AND ${db.dialect.oneOf('id', '$2')}`,
    (await projectOf(db, tenant)).number,
    query.monitors.map(({ monitorId }) => monitorId),
  )
  const followed = followedOf(query, current)
  const sums = Map.groupBy(await readSums(db, followed, query), ({ place }) => place)
  return followed.map((one, place) => toTrend(one, query, sums.get(place) ?? []))
}

/** Adds up the numbers of all that is followed; the rows are in no order. */
async function readSums(db: Sql, followed: readonly Followed[], query: TrendQuery): Promise<TrendSums[]> {
  if (followed.length === 0) return []
  const { bucket, from, to, previousFrom } = trendPlaces(query)
  const versions = [...new Set(followed.map(({ version }) => version))]
  const stretches = [
    ...(await stretchesOf(db, MONITOR_FOLDS, versions, [previousFrom, from, WHOLE_MINUTES])),
    ...(await stretchesOf(db, MONITOR_FOLDS, versions, [from, to, bucket])),
  ]
  const ofVersion = Map.groupBy(stretches, ({ owner }) => owner)
  const bound = followed.flatMap(({ version, property }, place) =>
    (ofVersion.get(version) ?? []).map((stretch) => ({ ...stretch, place, property })),
  )
  const values = leveled(
    db.dialect,
    '$1',
    MONITOR_FOLDS,
    {
      ...{ minutes: 'value_rollups', folds: 'value_folds' },
      columns: 's.place, r.minute, r.count, r.sum, r.min, r.max',
      and: 'AND r.property = s.property AND r.count > 0',
    },
    { ...STRETCH_COLUMNS, place: 'bigint', property: 'text' },
  )
  const rows = await db.all<AddedNumbersRow & Pick<TrendSums, 'place' | 'bucket'>>(
    `SELECT place, CASE WHEN minute >= $2 THEN minute / CAST($3 AS bigint) END AS bucket, ${addedNumbers(db.dialect)}
     FROM ${values} GROUP BY 1, 2`,
    new Rows(bound),
    from,
    bucket,
  )
  return rows.map((row) => ({ ...row, sum: sumOfNumbers(row) }))
}
