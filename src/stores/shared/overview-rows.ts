import type { EvaluationStatus } from '../../domain/evaluation.ts'
import type { EvaluationScope } from '../../domain/evaluator.ts'
import type {
  MinuteSpan,
  MonitorTrend,
  MonitorVolume,
  ProjectVolume,
  StatusCounts,
  TrendQuery,
  ValueSums,
} from '../../ports/overview-storage.ts'
import { minuteOf } from './minute-of.ts'

const MINUTE_MS = 60_000

/** Every version of the monitors of a project, which is `m.project_number`, with its monitor. */
export const SELECT_MONITOR_VERSIONS = `SELECT m.id, m.slug, m.is_active, s.external_id, v.number, v.scope,
    CASE WHEN m.version_number = v.number THEN 1 ELSE 0 END AS is_current
  FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number JOIN setups s ON s.id = m.setup_id`

/** A row of `SELECT_MONITOR_VERSIONS`. */
export interface VersionVolumeRow {
  id: string
  slug: string
  is_active: number
  external_id: string
  number: number
  scope: EvaluationScope
  is_current: number
}

/** How many units of a version came to what. */
export interface VersionCountRow {
  monitor_version: number
  status: EvaluationStatus
  units: number
}

/** The minutes of a span of time: from, up to. */
export function minuteSpan({ fromMs, toMs }: MinuteSpan): readonly [from: number, to: number] {
  return [minuteOf(fromMs), minuteOf(toMs)]
}

/** The volume of a project, from its versions and the outcomes of their units. */
export function toVolume(
  versions: readonly VersionVolumeRow[],
  rows: readonly VersionCountRow[],
  limit: number,
): ProjectVolume {
  const byVersion = Map.groupBy(rows, ({ monitor_version: version }) => version)
  const monitors = versions
    .filter(({ is_current: isCurrent }) => isCurrent === 1)
    .map((row) => toMonitorVolume(row, sumCounts(byVersion.get(row.number) ?? [])))
    .filter(({ isActive, counts }) => isActive || unitsOf(counts) > 0)
    .sort((left, right) => unitsOf(right.counts) - unitsOf(left.counts) || (left.id < right.id ? -1 : 1))
  return { monitors: monitors.slice(0, limit), counts: sumCounts(rows) }
}

function toMonitorVolume(row: VersionVolumeRow, counts: StatusCounts): MonitorVolume {
  return {
    id: row.id,
    externalId: row.external_id,
    slug: row.slug,
    scope: row.scope,
    isActive: row.is_active === 1,
    counts,
  }
}

function sumCounts(rows: readonly VersionCountRow[]): StatusCounts {
  const counts: Partial<Record<EvaluationStatus, number>> = {}
  for (const { status, units } of rows) counts[status] = (counts[status] ?? 0) + units
  return counts
}

function unitsOf(counts: StatusCounts): number {
  return Object.values(counts).reduce((sum, units) => sum + units, 0)
}

/** The current version of a monitor. */
export interface CurrentVersionRow {
  id: string
  version_number: number
}

/** The summary of a version's numbers in one period; the sum is null where it cannot be computed. */
export interface SumsRow {
  count: number
  sum: number | null
  min: number | null
  max: number | null
}

/** The numbers of one bucket of what is followed at a place; without a bucket those of the span of time before. */
export interface TrendSums extends SumsRow {
  place: number
  bucket: number | null
}

/** A followed property: of which version, and whose. */
export interface Followed {
  readonly monitorId: string
  readonly version: number
  readonly property: string
}

/** The followed monitors, in the order of the query; those that were not found are left out. */
export function followedOf({ monitors }: TrendQuery, rows: readonly CurrentVersionRow[]): Followed[] {
  const versions = new Map(rows.map(({ id, version_number: version }) => [id, version]))
  return monitors.flatMap(({ monitorId, property }) => {
    const version = versions.get(monitorId)
    return version === undefined ? [] : [{ monitorId, version, property }]
  })
}

/** Buckets of a query by their number since 1970, and the minutes of the span before. */
export function trendPlaces(query: TrendQuery) {
  const [from, to] = minuteSpan(query)
  const bucket = query.bucketMs / MINUTE_MS
  return { bucket, from, to, first: from / bucket, last: to / bucket, previousFrom: from - (to - from) }
}

/** How a property went, from its sums in any order. */
export function toTrend(
  { monitorId }: Followed,
  { bucketMs }: TrendQuery,
  sums: readonly TrendSums[],
): MonitorTrend {
  const previous = sums.find(({ bucket }) => bucket === null)
  const buckets = sums.flatMap(({ bucket, ...row }) =>
    bucket === null ? [] : [{ startMs: bucket * bucketMs, ...toSums(row) }],
  )
  return {
    monitorId,
    previous: previous ? toSums(previous) : { count: 0 },
    buckets: buckets.sort((left, right) => left.startMs - right.startMs),
  }
}

function toSums({ count, sum, min, max }: SumsRow): ValueSums {
  if (count === 0 || min === null || max === null) return { count: 0 }
  return { count, ...(sum === null ? {} : { sum }), min, max }
}
