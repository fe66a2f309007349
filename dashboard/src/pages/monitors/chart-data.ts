import type { components } from '../../api/schema.gen.ts'

type Monitor = components['schemas']['Monitor']
type Series = components['schemas']['Series']

/** A line of a chart. */
export interface Line {
  readonly name: string
  /** One for each time; null where nothing is known. */
  readonly values: readonly (number | null)[]
  readonly as: 'line' | 'bars'
  readonly isPrevious?: boolean
}

const BUCKET_MS: Readonly<Record<Series['bucket'], number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '1d': 86_400_000,
}

/** About as many points as a line has that can be read, also where little happens. */
const POINTS_MAX = 61

/** The finest bucket that makes a readable line of a range of that length. */
export function automaticBucket(rangeMs: number): Series['bucket'] {
  const names = Object.keys(BUCKET_MS) as Series['bucket'][]
  return names.find((name) => rangeMs / BUCKET_MS[name] <= POINTS_MAX) ?? '1d'
}

/** Beginnings of all buckets of a series, also of those in which nothing happened. */
export function timesOf({ from, to, bucket }: Series): Date[] {
  const length = BUCKET_MS[bucket]
  const start = Date.parse(from)
  const count = Math.max(0, Math.round((Date.parse(to) - start) / length))
  return Array.from({ length: count }, (_, at) => new Date(start + at * length))
}

/** One line for each version: scores of two versions are never one line. */
export function linesOf(series: Series, times: readonly Date[], name: string): Line[] {
  return linesByVersion(series, times, (version, isOnly) => (isOnly ? name : `Version ${version}`))
}

/** The lines of the period before, each value at the place of the same bucket of the period that is shown. */
export function previousLinesOf(previous: Series, count: number): Line[] {
  const lines = linesByVersion(previous, timesOf(previous), (version, isOnly) =>
    isOnly ? 'Previous period' : `Previous period, version ${version}`,
  )
  return lines.map(({ values, ...line }) => ({
    ...line,
    as: 'line',
    isPrevious: true,
    values: Array.from({ length: count }, (_, at) => values[at] ?? null),
  }))
}

function linesByVersion(
  series: Series,
  times: readonly Date[],
  nameOf: (version: number, isOnly: boolean) => string,
): Line[] {
  const versions = [...new Set(series.points.map(({ version }) => version))].sort((a, b) => a - b)
  const as = series.aggregation === 'count' ? 'bars' : 'line'
  return versions.map((version) => {
    const values = new Map(
      series.points
        .filter((point) => point.version === version)
        .map(({ time, value }) => [Date.parse(time), value ?? null]),
    )
    return {
      name: nameOf(version, versions.length === 1),
      values: times.map((time) => values.get(time.getTime()) ?? null),
      as,
    }
  })
}

/** Where the monitor has changed within the range. */
export function versionMarkers(
  { versions }: Monitor,
  { from, to }: Series,
): { atMs: number; label: string }[] {
  return versions.flatMap(({ version, created_at }) => {
    const atMs = Date.parse(created_at)
    const isShown = version > 1 && atMs >= Date.parse(from) && atMs < Date.parse(to)
    return isShown ? [{ atMs, label: `Monitor version ${version}` }] : []
  })
}

export interface Coverage {
  readonly at: Date
  readonly counts: Readonly<Record<string, number>>
}

/** Units by status in each of at most so many stretches of time. */
export function coverageOf(series: Series, times: readonly Date[], columnsMax: number): Coverage[] {
  const each = Math.max(1, Math.ceil(times.length / columnsMax))
  const columns = Array.from({ length: Math.ceil(times.length / each) }, (_, at) => ({
    at: times[at * each] ?? new Date(series.from),
    counts: {} as Record<string, number>,
  }))
  const start = Date.parse(series.from)
  for (const { time, coverage } of series.points) {
    const column = columns[Math.floor((Date.parse(time) - start) / (BUCKET_MS[series.bucket] * each))]
    if (column) add(column.counts, coverage.by_status)
  }
  return columns
}

/** Units by status in the whole range. */
export function totalsOf({ points }: Series): Record<string, number> {
  const totals: Record<string, number> = {}
  for (const { coverage } of points) add(totals, coverage.by_status)
  return totals
}

function add(sum: Record<string, number>, counts: Readonly<Partial<Record<string, number>>>): void {
  for (const [status, count] of Object.entries(counts)) sum[status] = (sum[status] ?? 0) + (count ?? 0)
}
