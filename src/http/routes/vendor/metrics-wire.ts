import * as z from 'zod'
import type { Condition } from '../../../domain/condition.ts'
import { LABEL_NAMES, METRIC_COLUMNS } from '../../../query/metric-labels.ts'
import type { MetricPoint, PointPlace } from '../../../query/show-metrics.ts'
import {
  conditionsInput,
  conditionsParam,
  logicalOperatorInput,
  sortOrderInput,
} from '../../wire/condition-wire.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { checkOrder, integerParam } from '../../wire/query-params.ts'
import { boundedText } from '../../wire/text-schemas.ts'

export const METRICS_LIMIT_MAX = 1_000
export const METRICS_LIMIT_DEFAULT = 50
const ENVIRONMENTS_MAX = 100
/** The last second that has four digits of years. */
const SECOND_MAX = 253_402_300_799

/**
 * A cursor is an integer, as clients expect. Below this limit it is a time in milliseconds, with which a client can start
 * anywhere; above it is a place that we gave out, which is exact also where many points share a millisecond.
 */
const PLACES_FROM = 10_000_000_000_000
/** More properties than an output has. */
const PROPERTIES_MAX = 1_024

const operators = ['equals', 'not_equals', 'contains', 'not_contains', 'in', 'not_in'] as const
const conditions = conditionsInput('field', operators).superRefine((list, context) => {
  for (const [at, { field }] of list.entries()) {
    if (isKnownField(field)) continue
    const message = `must begin with labels. or attributes., or be one of ${[...METRIC_COLUMNS, ...LABEL_NAMES].join(', ')}`
    context.addIssue({ code: 'custom', path: [at, 'field'], message })
  }
})

function isKnownField(field: string): boolean {
  return (
    /^(labels|attributes)\../.test(field) ||
    [...METRIC_COLUMNS, ...LABEL_NAMES].some((name) => name === field)
  )
}

const cursor = z
  .union([z.int().nonnegative(), z.string()])
  .transform((given, context): Cursor | undefined => {
    const value = typeof given === 'number' || /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
    // Clients that send a cursor with every page begin with 0, whatever the order.
    if (value === 0) return undefined
    if (Number.isSafeInteger(value)) return toPlace(value)
    context.addIssue({
      code: 'custom',
      message: 'must be the next_cursor of the page before, or a time in ms',
    })
    return z.NEVER
  })
  .describe(
    'The `next_cursor` of the page before; 0 or absent for the first. A time in ms also works: points behind it follow.',
  )

/** Where a page begins: behind a place that was given out, or behind a moment. */
export type Cursor = { readonly place: PointPlace } | { readonly atMs: number }

function toPlace(value: number): Cursor {
  if (value < PLACES_FROM) return { atMs: value }
  const place = value - PLACES_FROM
  return { place: { number: Math.floor(place / PROPERTIES_MAX), properties: place % PROPERTIES_MAX } }
}

/** A place as an integer. */
export function toMetricsCursor({ number, properties }: PointPlace): string {
  return String(PLACES_FROM + number * PROPERTIES_MAX + properties)
}

const shared = {
  metric_name: boundedText()
    .optional()
    .describe('A field of the output, for example `char_count`; absent: all.'),
  metric_source: boundedText()
    .optional()
    .describe('An evaluator slug with underscores, for example `char_count`.'),
  logical_operator: logicalOperatorInput.optional(),
  sort_by: z.enum(['event_time']).optional(),
  sort_order: sortOrderInput.optional(),
  cursor: cursor.optional(),
}

const second = z.int().min(0).max(SECOND_MAX)
const environments = z.array(boundedText()).max(ENVIRONMENTS_MAX).describe('Slugs; absent: all environments.')

/** The body of a query for metrics. */
export const metricsBody = z
  .object({
    from_timestamp_sec: second.optional().describe('Recorded at or after, in Unix seconds.'),
    to_timestamp_sec: second.optional().describe('Recorded before, in Unix seconds.'),
    environments: environments.optional(),
    filters: conditions
      .optional()
      .describe('On `labels.<name>`, `attributes.<name>` of the span, or columns.'),
    limit: z.int().min(1).max(METRICS_LIMIT_MAX).optional(),
    ...shared,
  })
  .superRefine(checkRange)
  .meta({ id: 'MetricsQuery' })

/** The same in a query string; `filters` is JSON text, `environments` may be repeated. */
export const metricsParams = z
  .object({
    from_timestamp_sec: integerParam(0, SECOND_MAX)
      .optional()
      .describe('Recorded at or after, in Unix seconds.'),
    to_timestamp_sec: integerParam(0, SECOND_MAX).optional().describe('Recorded before, in Unix seconds.'),
    environments: z
      .union([boundedText().transform((one) => [one]), environments])
      .optional()
      .describe('May be repeated.'),
    filters: conditionsParam(conditions)
      .optional()
      .describe('JSON: `[{"field", "operator", "value", "values"}]`.'),
    limit: pageLimit(METRICS_LIMIT_MAX).optional(),
    ...shared,
  })
  .superRefine(checkRange)

function checkRange(
  query: { from_timestamp_sec?: number | undefined; to_timestamp_sec?: number | undefined },
  context: z.core.$RefinementCtx,
): void {
  checkOrder(
    context,
    ['from_timestamp_sec', 'to_timestamp_sec'],
    query.from_timestamp_sec,
    query.to_timestamp_sec,
  )
}

/** The common result of both forms of the query. */
export interface MetricsQuery {
  readonly from_timestamp_sec?: number | undefined
  readonly to_timestamp_sec?: number | undefined
  readonly environments?: readonly string[] | undefined
  readonly metric_name?: string | undefined
  readonly metric_source?: string | undefined
  readonly filters?: readonly Condition[] | undefined
  readonly logical_operator?: string | undefined
  readonly sort_order?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: Cursor | undefined
}

const point = z
  .object({
    numeric_value: z.number().optional(),
    bool_value: z.boolean().optional(),
    enum_value: z.string().optional(),
    event_time: z.int().describe('When the result was recorded, in ms.'),
    labels: z.record(z.string(), z.string()),
  })
  .meta({ id: 'MetricPoint' })

/** Points by metric. */
export const metricsOutput = z
  .object({
    metrics: z.object({
      data: z.array(
        z.object({ metric_name: z.string(), organization_id: z.string(), points: z.array(point) }),
      ),
      total_points: z.int().describe('Points in this answer.'),
      total_results: z.int().describe('Metrics in this answer.'),
      next_cursor: z.string().optional().describe('An integer; absent on the last page.'),
    }),
  })
  .meta({ id: 'Metrics' })

/** Points in the form of the wire, grouped by metric in the order in which they first occur. */
export function toWireMetrics(
  points: readonly MetricPoint[],
  organizationId: string,
  next: PointPlace | undefined,
): z.output<typeof metricsOutput> {
  const groups = Map.groupBy(points, ({ metricName }) => metricName)
  return {
    metrics: {
      data: Array.from(groups, ([metricName, group]) => ({
        metric_name: metricName,
        organization_id: organizationId,
        points: group.map(toWirePoint),
      })),
      total_points: points.length,
      total_results: groups.size,
      ...(next === undefined ? {} : { next_cursor: toMetricsCursor(next) }),
    },
  }
}

function toWirePoint({ value, eventTimeMs, labels }: MetricPoint): z.output<typeof point> {
  return { ...toValue(value), event_time: eventTimeMs, labels: { ...labels } }
}

function toValue(value: MetricPoint['value']) {
  if (typeof value === 'number') return { numeric_value: value }
  return typeof value === 'boolean' ? { bool_value: value } : { enum_value: value }
}
