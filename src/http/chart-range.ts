import { alignRange, chooseBucket, SERIES_BUCKETS_MAX, type SeriesBucketName } from '../domain/series.ts'
import { invalidInput } from '../lib/public-error.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** End of every chart: one that is rounded up to whole buckets still ends in a year of four digits. */
const END_MS_MAX = Date.parse('9999-01-01T00:00:00Z')
/** Longest range of charts that are read of many monitors at once. */
export const EVEN_DAYS_MAX = 31

/** The range and the bucket of a chart: what was asked for, the last day where nothing was, in whole buckets. */
export function chooseChartRange(
  {
    bucket: given,
    from,
    to,
  }: {
    readonly bucket?: SeriesBucketName | undefined
    readonly from?: number | undefined
    readonly to?: number | undefined
  },
  nowMs: number,
): { bucket: SeriesBucketName; fromMs: number; toMs: number } {
  const { fromMs, toMs } = givenRange(from, to, nowMs)
  const bucket = given ?? chooseBucket(toMs - fromMs)
  const range = alignRange(Math.max(fromMs, 0), toMs, bucket)
  if (range.buckets > SERIES_BUCKETS_MAX) {
    // Not every chart has a bucket to choose; without one it is the longest there is.
    if (given === undefined) throw invalidInput(`from must be at most ${SERIES_BUCKETS_MAX} days before to`)
    throw invalidInput(
      `bucket ${bucket} makes ${range.buckets} points of this range; at most ${SERIES_BUCKETS_MAX} are possible`,
    )
  }
  return { bucket, fromMs: range.fromMs, toMs: range.toMs }
}

/**
 * The range of a chart of about so many points, in whole buckets: at most one bucket more. A bucket has whole minutes, and whole hours
 * where it is longer than one, because hours are read much faster, or where nothing shorter is kept.
 */
export function chooseEvenRange(
  {
    buckets,
    from,
    to,
    isHourly = false,
  }: {
    readonly buckets: number
    readonly from?: number | undefined
    readonly to?: number | undefined
    readonly isHourly?: boolean
  },
  nowMs: number,
): { bucketMs: number; fromMs: number; toMs: number } {
  const { fromMs, toMs } = givenRange(from, to, nowMs)
  if (toMs - fromMs > EVEN_DAYS_MAX * DAY_MS)
    throw invalidInput(`from must be at most ${EVEN_DAYS_MAX} days before to`)
  const pointMs = (toMs - fromMs) / buckets
  const unitMs = isHourly || pointMs > HOUR_MS ? HOUR_MS : MINUTE_MS
  const bucketMs = Math.ceil(pointMs / unitMs) * unitMs
  return {
    bucketMs,
    fromMs: Math.floor(Math.max(fromMs, 0) / bucketMs) * bucketMs,
    toMs: Math.ceil(toMs / bucketMs) * bucketMs,
  }
}

function givenRange(from: number | undefined, to: number | undefined, nowMs: number) {
  for (const [name, timeMs] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (timeMs !== undefined && timeMs >= END_MS_MAX)
      throw invalidInput(`${name} must be before ${new Date(END_MS_MAX).toISOString()}`)
  }
  const toMs = to ?? (from === undefined ? nowMs : Math.max(nowMs, from + 1))
  return { fromMs: from ?? toMs - DAY_MS, toMs }
}
