import * as z from 'zod'
import { chooseMonitorField, type MonitorField } from '../../../control/monitor-field.ts'
import { notFound } from '../../../domain/errors.ts'
import {
  AGGREGATIONS,
  type Aggregation,
  quantileOf,
  SERIES_BUCKET_NAMES,
  SERIES_BUCKETS,
  SERIES_BUCKETS_MAX,
} from '../../../domain/series.ts'
import { VERDICT_PROPERTY } from '../../../domain/verdict.ts'
import { defined } from '../../../lib/defined.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { chooseChartRange } from '../../chart-range.ts'
import { defineRoute } from '../../route.ts'
import { monitorParams } from '../../wire/path-params.ts'
import { checkOrder, integerParam, timeParam } from '../../wire/query-params.ts'
import { toTimestamp } from '../../wire/timestamp.ts'
import { seriesOutput, toWirePoint } from './series-wire.ts'

const VERSION_MAX = 1_000_000

const seriesQuery = z
  .object({
    bucket: z
      .enum(SERIES_BUCKET_NAMES)
      .optional()
      .describe('Absent: the finest that makes a readable chart.'),
    aggregation: z
      .enum(AGGREGATIONS)
      .optional()
      .describe(
        'Absent: `average`, and `count` for a text. `median` and `p95` are exact within 1 %. `pass_rate`, whatever the property: the share of judged results that passed.',
      ),
    property: z
      .string()
      .optional()
      .describe(
        "A field of the output; absent: the evaluator's first number or boolean. Booleans count as 0 and 1.",
      ),
    from: timeParam()
      .optional()
      .describe('ISO 8601 with a zone, or Unix seconds; absent: a day before `to`.'),
    to: timeParam().optional().describe('ISO 8601 with a zone, or Unix seconds; absent: now.'),
    version: integerParam(1, VERSION_MAX)
      .optional()
      .describe('Only this version of the monitor; absent: all.'),
  })
  .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to))

export const getMonitorSeriesRoute = defineRoute({
  method: 'GET',
  path: '/v2/monitors/{id}/series',
  operationId: 'getMonitorSeries',
  tag: 'Results',
  summary: 'Chart a monitor',
  description:
    'One number per bucket of time (by the start of the span) and version, with the units that it covers. The range is ' +
    `widened to whole buckets in UTC and spans at most ${SERIES_BUCKETS_MAX} of them.`,
  access: 'read',
  params: monitorParams,
  query: seriesQuery,
  success: { status: 200, description: 'The series.', schema: seriesOutput },
  errors: { 404: 'The project has no such monitor.' },
  async handle({ principal, params, query }, { storage, clock }) {
    const monitor = await storage.getMonitor(principal, params.id)
    if (!monitor) throw notFound('monitor not found')
    const field = await chooseMonitorField(storage, principal, monitor.current.slug, query.property)
    const { property } = field
    const aggregation = chooseAggregation(field, query.aggregation)
    if (aggregation === 'pass_rate' && monitor.verdictRule?.conditions.length === 0)
      throw invalidInput(
        'aggregation must not be pass_rate for this monitor: its evaluator only counts, so that nothing passes or fails',
      )
    const range = chooseChartRange(query, clock.nowMs())
    const quantile = quantileOf(aggregation)
    const buckets = await storage.readSeries(principal, {
      monitorId: monitor.id,
      property: aggregation === 'pass_rate' ? VERDICT_PROPERTY : property,
      fromMs: range.fromMs,
      toMs: range.toMs,
      bucketMs: SERIES_BUCKETS[range.bucket],
      ...defined({ version: query.version, quantile }),
    })
    return {
      monitor_id: monitor.id,
      property,
      bucket: range.bucket,
      aggregation,
      from: toTimestamp(range.fromMs),
      to: toTimestamp(range.toMs),
      points: buckets.map((bucket) => toWirePoint(bucket, aggregation)),
    }
  },
})

/** The aggregation of a chart; an evaluator that is not known any more has no schema to check against. */
function chooseAggregation(field: MonitorField, given: Aggregation | undefined): Aggregation {
  if (field.kind === undefined) return given ?? 'average'
  const aggregation = given ?? (field.kind === 'label' ? 'count' : 'average')
  if (aggregation === 'pass_rate') return aggregation
  if (field.kind === 'label' && aggregation !== 'count')
    throw invalidInput(`aggregation must be count for the property ${field.property}, which is a text`)
  return aggregation
}
