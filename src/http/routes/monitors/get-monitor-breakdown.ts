import * as z from 'zod'
import { chooseMonitorField } from '../../../control/monitor-field.ts'
import { notFound } from '../../../domain/errors.ts'
import { SERIES_BUCKETS } from '../../../domain/series.ts'
import { countUnits, evaluatedUnits } from '../../../domain/unit-counts.ts'
import {
  BREAKDOWN_GROUPS_MAX,
  BREAKDOWN_SAMPLE_MAX,
  type BreakdownGroup,
  showBreakdown,
} from '../../../query/show-breakdown.ts'
import { chooseChartRange } from '../../chart-range.ts'
import { defineRoute } from '../../route.ts'
import { monitorParams } from '../../wire/path-params.ts'
import { checkOrder, timeParam } from '../../wire/query-params.ts'
import { requiredName } from '../../wire/text-schemas.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'

const BY_CHARS_MAX = 256
/** The name of the groups beyond those that are listed. */
const REST = 'other'

const breakdownQuery = z
  .object({
    by: requiredName(BY_CHARS_MAX).describe(
      '`model`, `service`, `environment`, or the name of an attribute of the span or its resource, also as ' +
        '`span_attributes.<name>` or `resource_attributes.<name>`. Of a list the first value counts.',
    ),
    property: z
      .string()
      .optional()
      .describe("A field of the output; absent: the evaluator's first number or boolean."),
    from: timeParam()
      .optional()
      .describe('ISO 8601 with a zone, or Unix seconds; absent: a day before `to`.'),
    to: timeParam().optional().describe('ISO 8601 with a zone, or Unix seconds; absent: now.'),
  })
  .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to))

const breakdownOutput = z
  .object({
    monitor_id: z.string(),
    version: z.int().describe('The current version of the monitor, whose results are told.'),
    by: z.string(),
    property: z.string(),
    from: timestamp,
    to: timestamp,
    groups: z
      .array(
        z.object({
          value: z
            .string()
            .nullable()
            .describe('Null: the span carries none or is no longer kept, or the unit is more than one span.'),
          count: z.int(),
          mean: z.number().nullable().describe('Null where nothing was scored.'),
          failed: z.int().describe('`error`, `unparseable`, `refused` and `over_budget`.'),
          verdicts: z
            .object({ pass: z.int(), fail: z.int() })
            .describe('Results by their verdict; neutral ones are in neither.'),
          is_rest: z
            .literal(true)
            .optional()
            .describe(`On the group \`${REST}\` that stands for all others.`),
        }),
      )
      .describe(`The most frequent first; beyond ${BREAKDOWN_GROUPS_MAX} the rest as one group \`${REST}\`.`),
    evaluations_sampled: z.int().describe('How many results the groups were made of.'),
    evaluations_total: z.int().describe('How many there are in the range.'),
  })
  .meta({ id: 'Breakdown' })

export const getMonitorBreakdownRoute = defineRoute({
  method: 'GET',
  path: '/v2/monitors/{id}/breakdown',
  operationId: 'getMonitorBreakdown',
  tag: 'Results',
  summary: 'Break the results of a monitor down',
  description:
    'By what the spans carry. The spans have to be read for that, so the groups are made of the newest ' +
    `${BREAKDOWN_SAMPLE_MAX} results of the range (by the start of the span), and of fewer where results of other times lie ` +
    'between them.',
  access: 'read',
  params: monitorParams,
  query: breakdownQuery,
  success: { status: 200, description: 'The breakdown.', schema: breakdownOutput },
  errors: { 404: 'The project has no such monitor.' },
  async handle({ principal, params, query }, { storage, clock }) {
    const monitor = await storage.getMonitor(principal, params.id)
    if (!monitor) throw notFound('monitor not found')
    const { slug, version } = monitor.current
    const { property } = await chooseMonitorField(storage, principal, slug, query.property)
    const { bucket, fromMs, toMs } = chooseChartRange({ from: query.from, to: query.to }, clock.nowMs())
    const asked = { monitorId: monitor.id, version, property, fromMs, toMs }
    const [breakdown, series] = await Promise.all([
      showBreakdown(storage, principal, { ...asked, by: query.by }),
      storage.readSeries(principal, { ...asked, bucketMs: SERIES_BUCKETS[bucket] }),
    ])
    const { groups, rest, sampled } = breakdown
    return {
      monitor_id: monitor.id,
      ...{ version, by: query.by, property },
      from: toTimestamp(fromMs),
      to: toTimestamp(toMs),
      groups: [
        ...groups.map(toWireGroup),
        ...(rest ? [{ ...toWireGroup({ ...rest, value: REST }), is_rest: true as const }] : []),
      ],
      evaluations_sampled: sampled,
      evaluations_total: series.reduce((sum, { byStatus }) => sum + evaluatedUnits(countUnits(byStatus)), 0),
    }
  },
})

function toWireGroup({ value, count, mean, failed, verdicts }: BreakdownGroup) {
  return { value: value ?? null, count, mean: mean ?? null, failed, verdicts: { ...verdicts } }
}
