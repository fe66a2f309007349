import * as z from 'zod'
import { chooseMonitorField } from '../../../control/monitor-field.ts'
import { notFound } from '../../../domain/errors.ts'
import { chooseChartRange } from '../../chart-range.ts'
import { defineRoute } from '../../route.ts'
import { monitorParams } from '../../wire/path-params.ts'
import { checkOrder, integerParam, timeParam } from '../../wire/query-params.ts'
import { toTimestamp } from '../../wire/timestamp.ts'
import { distributionOutput, toWireDistribution } from './distribution-wire.ts'

const VERSION_MAX = 1_000_000

const distributionQuery = z
  .object({
    property: z
      .string()
      .optional()
      .describe(
        "A field of the output; absent: the evaluator's first number or boolean, or its first field.",
      ),
    from: timeParam()
      .optional()
      .describe('ISO 8601 with a zone, or Unix seconds; absent: a day before `to`.'),
    to: timeParam().optional().describe('ISO 8601 with a zone, or Unix seconds; absent: now.'),
    version: integerParam(1, VERSION_MAX)
      .optional()
      .describe('A version of the monitor; absent: the current one.'),
  })
  .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to))

export const getMonitorDistributionRoute = defineRoute({
  method: 'GET',
  path: '/v2/monitors/{id}/distribution',
  operationId: 'getMonitorDistribution',
  tag: 'Results',
  summary: 'See how the values of a monitor are spread',
  description:
    'Of one output property and one version, by the start of the span; the range is widened as for the series. Numbers are ' +
    'known within 1 %, so one that lies on the edge of two bins may be counted in the other.',
  access: 'read',
  params: monitorParams,
  query: distributionQuery,
  success: { status: 200, description: 'The distribution.', schema: distributionOutput },
  errors: { 404: 'The project has no such monitor.' },
  async handle({ principal, params, query }, { storage, clock }) {
    const monitor = await storage.getMonitor(principal, params.id)
    if (!monitor) throw notFound('monitor not found')
    const field = await chooseMonitorField(storage, principal, monitor.current.slug, query.property)
    const { fromMs, toMs } = chooseChartRange({ from: query.from, to: query.to }, clock.nowMs())
    const { property } = field
    const version = query.version ?? monitor.current.version
    const values = await storage.readDistribution(principal, {
      ...{ monitorId: monitor.id, version, property },
      ...{ fromMs, toMs },
    })
    return {
      monitor_id: monitor.id,
      version,
      property,
      from: toTimestamp(fromMs),
      to: toTimestamp(toMs),
      ...toWireDistribution(field, values),
    }
  },
})
