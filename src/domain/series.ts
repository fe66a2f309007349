/** The data of a monitor's chart: buckets of time, and one number for the scores of each. */

const MINUTE_MS = 60_000

/** How long a bucket may be, by the name people give it. */
export const SERIES_BUCKETS = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '6h': 360 * MINUTE_MS,
  '1d': 1_440 * MINUTE_MS,
} as const
export type SeriesBucketName = keyof typeof SERIES_BUCKETS
export const SERIES_BUCKET_NAMES = Object.keys(SERIES_BUCKETS) as SeriesBucketName[]

/** How the values of a bucket become one number. `pass_rate` is about verdicts: the share of those judged that passed. */
export const AGGREGATIONS = ['average', 'median', 'min', 'max', 'sum', 'count', 'p95', 'pass_rate'] as const
export type Aggregation = (typeof AGGREGATIONS)[number]

/** Most buckets that one series may span. */
export const SERIES_BUCKETS_MAX = 10_000

/** About as many points as a chart can show. */
const CHART_POINTS = 300

/** The finest bucket that still makes a readable chart of that range. */
export function chooseBucket(rangeMs: number): SeriesBucketName {
  return SERIES_BUCKET_NAMES.find((name) => rangeMs / SERIES_BUCKETS[name] <= CHART_POINTS) ?? '1d'
}

/** A range widened to whole buckets, so that every point covers all of its bucket. */
export function alignRange(
  fromMs: number,
  toMs: number,
  bucket: SeriesBucketName,
): { fromMs: number; toMs: number; buckets: number } {
  const bucketMs = SERIES_BUCKETS[bucket]
  const first = Math.floor(fromMs / bucketMs)
  const last = Math.ceil(toMs / bucketMs)
  return { fromMs: first * bucketMs, toMs: last * bucketMs, buckets: last - first }
}

/** The share below which the aggregation's value lies, for those that need the histogram. */
export function quantileOf(aggregation: Aggregation): number | undefined {
  if (aggregation === 'median') return 0.5
  return aggregation === 'p95' ? 0.95 : undefined
}

/** The summary of the values of one bucket. */
export interface BucketValues {
  readonly count: number
  readonly sum?: number
  readonly min?: number
  readonly max?: number
  readonly quantile?: number
  readonly labels?: Readonly<Record<string, number>>
}

/** The number for a bucket; undefined, never 0, where nothing was scored or the number is too large to be told. */
export function aggregate(aggregation: Aggregation, values: BucketValues): number | undefined {
  switch (aggregation) {
    case 'count':
      return valueCount(values) || undefined
    case 'sum':
      return sumOf(values)
    case 'average':
    case 'pass_rate': {
      const sum = sumOf(values)
      return sum === undefined ? undefined : sum / values.count
    }
    case 'min':
      return values.min
    case 'max':
      return values.max
    case 'median':
    case 'p95':
      return within(values)
  }
}

/** How many values a bucket has, numbers or texts. */
export function valueCount({ count, labels = {} }: BucketValues): number {
  return Object.values(labels).reduce((sum, units) => sum + units, count)
}

// A sum that has reached the end of what a number can hold is no longer the sum.
function sumOf({ count, sum }: BucketValues): number | undefined {
  return count === 0 || sum === undefined || Math.abs(sum) >= Number.MAX_VALUE ? undefined : sum
}

// A histogram knows a value only within 1 %; the smallest and the largest are known exactly.
function within({ quantile, min = -Infinity, max = Infinity }: BucketValues): number | undefined {
  return quantile === undefined ? undefined : Math.min(Math.max(quantile, min), max)
}
