import * as z from 'zod'
import { showOverview } from '../../../query/overview/overview.ts'
import { chooseEvenRange, EVEN_DAYS_MAX } from '../../chart-range.ts'
import { defineRoute } from '../../route.ts'
import { checkOrder, integerParam, timeParam } from '../../wire/query-params.ts'
import { overviewOutput, toWireOverview } from './overview-wire.ts'

const BUCKETS_MAX = 300
const BUCKETS_DEFAULT = 48

const overviewQuery = z
  .object({
    from: timeParam()
      .optional()
      .describe('ISO 8601 with a zone, or Unix seconds; absent: a day before `to`.'),
    to: timeParam().optional().describe('ISO 8601 with a zone, or Unix seconds; absent: now.'),
    buckets: integerParam(1, BUCKETS_MAX)
      .optional()
      .describe(`About how many points each chart has, at most one more; ${BUCKETS_DEFAULT} when absent.`),
  })
  .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to))

export const getOverviewRoute = defineRoute({
  method: 'GET',
  path: '/v2/overview',
  operationId: 'getOverview',
  tag: 'Results',
  summary: 'See how the project fares',
  description:
    'All monitors at once, what needs attention and what judges cost, for a range of at most ' +
    `${EVEN_DAYS_MAX} days that is widened to whole buckets in UTC. Scores and counts of a monitor are those of its current ` +
    'version, by the start of the span. `score_dropped` compares with the time of the same length before, where both have ' +
    'at least 30 scored units.',
  access: 'read',
  query: overviewQuery,
  success: { status: 200, description: 'The overview.', schema: overviewOutput },
  async handle({ principal, query }, deps) {
    const range = chooseEvenRange({ ...query, buckets: query.buckets ?? BUCKETS_DEFAULT }, deps.clock.nowMs())
    return toWireOverview(await showOverview(deps, principal, range), range)
  },
})
