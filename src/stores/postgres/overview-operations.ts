import type { ProjectScope } from '../../domain/tenant.ts'
import type { MinuteSpan, MonitorTrend, ProjectVolume, TrendQuery } from '../../ports/overview-storage.ts'
import {
  type CurrentVersionRow,
  type Followed,
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
import { projectOf } from '../shared/project-of.ts'
import type { Sql } from '../shared/sql.ts'
import { ADDED_NUMBERS, type AddedNumbersRow, sumOfNumbers } from './series-operations.ts'

export async function readVolume(
  tx: Sql,
  scope: ProjectScope,
  { limit, ...span }: MinuteSpan & { readonly limit: number },
): Promise<ProjectVolume> {
  const versions = await tx.all<VersionVolumeRow>(
    `${SELECT_MONITOR_VERSIONS} WHERE m.project_number = $1`,
    (await projectOf(tx, scope)).number,
  )
  const rows = await tx.all<VersionCountRow>(
    `SELECT monitor_version, status, sum(units) AS units FROM status_rollups
     WHERE monitor_version = ANY($1) AND minute >= $2 AND minute < $3 GROUP BY monitor_version, status`,
    versions.map(({ number }) => number),
    ...minuteSpan(span),
  )
  return toVolume(versions, rows, limit)
}

export async function readTrends(tx: Sql, scope: ProjectScope, query: TrendQuery): Promise<MonitorTrend[]> {
  const current = await tx.all<CurrentVersionRow>(
    'SELECT id, version_number FROM monitors WHERE project_number = $1 AND id = ANY($2)',
    (await projectOf(tx, scope)).number,
    query.monitors.map(({ monitorId }) => monitorId),
  )
  const followed = followedOf(query, current)
  const rows = Map.groupBy(await sumsOf(tx, followed, query), ({ place }) => place)
  return followed.map((one, at) => {
    const found = rows.get(at + 1) ?? []
    const previous = found.find(({ bucket }) => bucket === null)
    const buckets = found.flatMap((row) => (row.bucket === null ? [] : [{ ...row, bucket: row.bucket }]))
    return toTrend(
      one,
      query,
      previous,
      buckets.sort((left, right) => left.bucket - right.bucket),
    )
  })
}

/** By the place of what is followed, counted from 1, and by bucket; null is the span of time before. */
async function sumsOf(
  tx: Sql,
  followed: readonly Followed[],
  query: TrendQuery,
): Promise<(SumsRow & { place: number; bucket: number | null })[]> {
  const { bucket, from, to, previousFrom } = trendPlaces(query)
  const rows = await tx.all<AddedNumbersRow & { place: number; bucket: number | null }>(
    `SELECT f.place, CASE WHEN r.minute >= $4 THEN r.minute / $6::bigint END AS bucket, ${ADDED_NUMBERS}
     FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS f (version, property, place)
     JOIN value_rollups r ON r.monitor_version = f.version AND r.property = f.property
       AND r.minute >= $3 AND r.minute < $5 AND r.count > 0
     GROUP BY 1, 2`,
    followed.map(({ version }) => version),
    followed.map(({ property }) => property),
    ...[previousFrom, from, to, bucket],
  )
  return rows.map((row) => ({ ...row, sum: sumOfNumbers(row) }))
}
