import * as z from 'zod'
import {
  AGGREGATIONS,
  type Aggregation,
  aggregate,
  SERIES_BUCKET_NAMES,
  valueCount,
} from '../../../domain/series.ts'
import { defined } from '../../../lib/defined.ts'
import type { SeriesBucket } from '../../../ports/result-storage.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { statusCounts } from './monitor-wire.ts'

const seriesPoint = z
  .object({
    time: timestamp.describe('When the bucket begins.'),
    version: z.int().describe('Version of the monitor; each has points of its own.'),
    value: z.number().optional().describe('Absent, never 0, where nothing was scored.'),
    count: z.int().describe('How many values there are.'),
    labels: z
      .record(z.string(), z.int())
      .optional()
      .describe('For a property of texts: how often each occurred.'),
    coverage: z.object({
      scored: z.int(),
      total: z.int().describe('All units of the bucket; superseded ones are not counted twice.'),
      by_status: statusCounts,
    }),
  })
  .meta({ id: 'SeriesPoint' })

/** A chart of one output property of one monitor. */
export const seriesOutput = z
  .object({
    monitor_id: z.string(),
    property: z.string(),
    bucket: z.enum(SERIES_BUCKET_NAMES),
    aggregation: z.enum(AGGREGATIONS),
    from: timestamp.describe('Beginning of the first bucket.'),
    to: timestamp.describe('End of the last bucket.'),
    points: z
      .array(seriesPoint)
      .describe('In order of time, then of version; buckets without units are left out.'),
  })
  .meta({ id: 'Series' })

/** A bucket in the form of the wire. */
export function toWirePoint(bucket: SeriesBucket, aggregation: Aggregation): z.output<typeof seriesPoint> {
  const { byStatus, labels } = bucket
  const value = aggregate(aggregation, bucket)
  const units = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
  return {
    time: toTimestamp(bucket.startMs),
    version: bucket.version,
    ...defined({ value }),
    count: valueCount(bucket),
    ...(labels === undefined ? {} : { labels: { ...labels } }),
    coverage: {
      scored: byStatus.scored ?? 0,
      total: units - (byStatus.superseded ?? 0),
      by_status: { ...byStatus },
    },
  }
}
