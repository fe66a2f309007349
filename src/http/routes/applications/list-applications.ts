import * as z from 'zod'
import { passRate } from '../../../domain/incidents/rate-change.ts'
import {
  type ApplicationOverview,
  REASONS_SAMPLE_MAX,
  showApplications,
} from '../../../query/applications/show-applications.ts'
import { chooseEvenRange, EVEN_DAYS_MAX } from '../../chart-range.ts'
import { defineRoute } from '../../route.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { checkOrder, timeParam } from '../../wire/query-params.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toUsd } from '../../wire/usd.ts'
import { toEvaluationId } from '../evaluations/evaluation-wire.ts'

const LIMIT_MAX = 50
const LIMIT_DEFAULT = 20
/** Points of a small chart, of whole hours each; there may be one more. */
const POINTS_MAX = 48
const NAME_CHARS_MAX = 1_024

const judgedFields = {
  pass: z.int(),
  fail: z.int(),
  pass_rate: z.number().nullable().describe('Null, never 0, where nothing was judged.'),
}

const applicationOutput = z
  .object({
    name: z.string().nullable().describe('Service or workflow; null for units that name neither.'),
    judged: z.object(judgedFields).describe('Units that passed and units that failed.'),
    previous: z.object(judgedFields).describe('The same for the previous period of the same length.'),
    evaluations: z.int().describe('All units that were looked at, judged or not.'),
    not_scored: z.int().describe('Units whose evaluation has no score.'),
    points: z.array(
      z.object({ at: timestamp.describe('When the bucket begins.'), ...judgedFields }).meta({
        id: 'ApplicationPoint',
      }),
    ),
    failing_monitors: z
      .array(z.object({ monitor_id: z.string(), ...judgedFields }))
      .describe('Those with the most failures first, at most 5.'),
    reasons: z
      .array(
        z.object({
          evaluator_type: z.string(),
          verdict_label: z.string(),
          reason: z.string().describe('In the words of the newest of them; empty where none is told.'),
          count: z.int(),
          newest_evaluation_id: z.string(),
        }),
      )
      .describe('The newest failures grouped by evaluator, verdict and reason; at most 5 groups.'),
    reasons_sampled: z.int().describe(`Failures that were grouped, at most ${REASONS_SAMPLE_MAX}.`),
    model_calls: z.int(),
    cost_usd: z.number().nullable().describe('Null where no call has a known price.'),
    unpriced_calls: z.int(),
    open_incidents: z.int(),
  })
  .meta({ id: 'Application' })

const listQuery = z
  .object({
    from: timeParam()
      .optional()
      .describe('ISO 8601 with a zone, or Unix seconds; absent: a day before `to`.'),
    to: timeParam().optional().describe('ISO 8601 with a zone, or Unix seconds; absent: now.'),
    limit: pageLimit(LIMIT_MAX).optional().describe(`Largest number; ${LIMIT_DEFAULT} when absent.`),
    after: z.string().max(NAME_CHARS_MAX).optional().describe('The `next_after` of the page before.'),
  })
  .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to))

export const listApplicationsRoute = defineRoute({
  method: 'GET',
  path: '/v2/applications',
  operationId: 'listApplications',
  tag: 'Results',
  summary: 'See how each application fares',
  description:
    'The applications of the project in the order of their names, each with its pass rate, what fails most and why, and its cost, ' +
    `for a range of at most ${EVEN_DAYS_MAX} days that is widened to whole buckets of whole hours in UTC. Units count by their start, ` +
    'reasons by the time of recording. Evaluations from before applications were kept belong to none.',
  access: 'read',
  query: listQuery,
  success: {
    status: 200,
    description: 'A page of applications.',
    schema: z.object({
      from: timestamp,
      to: timestamp,
      bucket_seconds: z.int(),
      applications: z.array(applicationOutput),
      next_after: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, deps) {
    const { from, to } = query
    const range = chooseEvenRange({ buckets: POINTS_MAX, from, to, isHourly: true }, deps.clock.nowMs())
    const page = await showApplications(deps, principal, range, {
      limit: query.limit ?? LIMIT_DEFAULT,
      ...(query.after === undefined ? {} : { afterName: query.after }),
    })
    return {
      from: toTimestamp(range.fromMs),
      to: toTimestamp(range.toMs),
      bucket_seconds: range.bucketMs / 1_000,
      applications: page.applications.map(toWireApplication),
      ...(page.nextAfter === undefined ? {} : { next_after: page.nextAfter }),
    }
  },
})

function toWireApplication(overview: ApplicationOverview): z.output<typeof applicationOutput> {
  const { judged, previous, neutral, notScored, cost } = overview
  return {
    name: overview.name ?? null,
    judged: toWireJudged(judged),
    previous: toWireJudged(previous),
    evaluations: judged.pass + judged.fail + neutral + notScored,
    not_scored: notScored,
    points: overview.points.map((point) => ({ at: toTimestamp(point.startMs), ...toWireJudged(point) })),
    failing_monitors: overview.failing.map((monitor) => ({
      monitor_id: monitor.monitorId,
      ...toWireJudged(monitor),
    })),
    reasons: overview.reasons.map(({ slug, label, reason, count, newest }) => ({
      ...{ evaluator_type: slug, verdict_label: label, reason, count },
      newest_evaluation_id: toEvaluationId(newest),
    })),
    reasons_sampled: overview.sampled,
    model_calls: overview.modelCalls,
    cost_usd: cost.costMicros === undefined ? null : toUsd(cost.costMicros),
    unpriced_calls: cost.unpricedCalls,
    open_incidents: overview.openIncidents,
  }
}

/** Counts with their rate. */
export function toWireJudged({ pass, fail }: { readonly pass: number; readonly fail: number }) {
  return { pass, fail, pass_rate: passRate({ pass, fail }) ?? null }
}
