import { invalidInput } from '../domain/errors.ts'
import { alignRange, chooseBucket, SERIES_BUCKETS_MAX, type SeriesBucketName } from '../domain/series.ts'

const DAY_MS = 86_400_000

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
  const toMs = to ?? (from === undefined ? nowMs : Math.max(nowMs, from + 1))
  const fromMs = from ?? toMs - DAY_MS
  const bucket = given ?? chooseBucket(toMs - fromMs)
  const range = alignRange(Math.max(fromMs, 0), toMs, bucket)
  if (range.buckets > SERIES_BUCKETS_MAX) {
    throw invalidInput(
      `bucket ${bucket} makes ${range.buckets} points of this range; at most ${SERIES_BUCKETS_MAX} are possible`,
    )
  }
  return { bucket, fromMs: range.fromMs, toMs: range.toMs }
}
