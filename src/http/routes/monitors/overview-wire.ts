import * as z from 'zod'
import { EVALUATION_SCOPES } from '../../../domain/evaluator.ts'
import { defined } from '../../../lib/defined.ts'
import { ATTENTION_KINDS, type Attention, SEVERITIES } from '../../../query/overview/attention.ts'
import type { MonitorOverview, OverviewRange } from '../../../query/overview/monitor-overview.ts'
import type { Overview } from '../../../query/overview/overview.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toUsd } from '../../wire/usd.ts'
import { MONITOR_STATUSES } from './monitor-wire.ts'

const overviewMonitor = z
  .object({
    id: z.string(),
    external_id: z.string().describe('Of the setup.'),
    evaluator_type: z.string().describe('The evaluator slug.'),
    scope: z.enum(EVALUATION_SCOPES),
    status: z.enum(MONITOR_STATUSES),
    property: z
      .string()
      .nullable()
      .describe("What it is measured by: the evaluator's first number or boolean; null where there is none."),
    counts: z
      .object({
        scored: z.int(),
        failed: z.int().describe('`error`, `unparseable`, `refused` and `over_budget`.'),
        other: z.int().describe('`abstained` and `missing_input`.'),
      })
      .describe('Units of the current version that were looked at.'),
    mean: z.number().nullable().describe('Null, never 0, where nothing was scored.'),
    previous_mean: z.number().nullable().describe('In the time of the same length before.'),
    is_share: z
      .boolean()
      .describe('The property is a boolean, and a mean is the share of units for which it is true.'),
    better: z
      .enum(['higher', 'lower'])
      .nullable()
      .describe('The direction in which the property gets better; null where it decides no verdict.'),
    points: z.array(
      z.object({
        at: timestamp.describe('When the bucket begins.'),
        value: z.number().nullable().describe('The mean; null where nothing was scored.'),
        count: z.int(),
      }),
    ),
  })
  .meta({ id: 'OverviewMonitor' })

const attentionOutput = z
  .object({
    severity: z.enum(SEVERITIES),
    kind: z.enum(ATTENTION_KINDS),
    external_id: z.string().optional().describe('The setup that it is about.'),
    monitor_id: z.string().optional(),
    message: z.string(),
  })
  .meta({ id: 'Attention' })

/** How a project fares. */
export const overviewOutput = z
  .object({
    from: timestamp.describe('Beginning of the first bucket.'),
    to: timestamp.describe('End of the last bucket.'),
    monitors: z
      .array(overviewMonitor)
      .describe('Those that need attention first, then those with the most units; at most 100.'),
    totals: z.object({
      evaluations: z.int().describe('Units of all monitors and versions that were looked at.'),
      failed: z.int(),
      lag_in_spans: z.int().describe('Spans that some active monitor still has to evaluate.'),
      lag_seconds: z
        .number()
        .nullable()
        .describe('How long the oldest of them has waited; null before anything was evaluated.'),
    }),
    attention: z.array(attentionOutput).describe('The worst first; at most 20.'),
    judge_spend: z.object({
      today_usd: z.number().describe('In the current UTC day.'),
      day_budget_usd: z.number().nullable().describe('Of the project; null: no limit.'),
      month_usd: z.number().describe('In the current UTC month.'),
      month_budget_usd: z.number().nullable(),
      unpriced_calls: z.int().describe('Calls of this month whose price is not known, and so in no sum.'),
    }),
  })
  .meta({ id: 'Overview' })

/** An overview in the form of the wire. */
export function toWireOverview(overview: Overview, range: OverviewRange): z.output<typeof overviewOutput> {
  const { spend, lagMs } = overview
  return {
    from: toTimestamp(range.fromMs),
    to: toTimestamp(range.toMs),
    monitors: overview.monitors.map(toWireMonitor),
    totals: {
      evaluations: overview.evaluations,
      failed: overview.failed,
      lag_in_spans: overview.lagInSpans,
      lag_seconds: lagMs === undefined ? null : lagMs / 1_000,
    },
    attention: overview.attention.map(toWireAttention),
    judge_spend: {
      today_usd: toUsd(spend.dayMicros),
      day_budget_usd: spend.dayBudgetMicros === undefined ? null : toUsd(spend.dayBudgetMicros),
      month_usd: toUsd(spend.monthMicros),
      month_budget_usd: spend.monthBudgetMicros === undefined ? null : toUsd(spend.monthBudgetMicros),
      unpriced_calls: spend.unpricedCalls,
    },
  }
}

function toWireMonitor({ monitor, ...told }: MonitorOverview): z.output<typeof overviewMonitor> {
  return {
    id: monitor.id,
    external_id: monitor.externalId,
    evaluator_type: monitor.slug,
    scope: monitor.scope,
    status: monitor.isActive ? 'active' : 'stopped',
    property: told.property ?? null,
    counts: { ...told.counts },
    mean: told.mean ?? null,
    previous_mean: told.previousMean ?? null,
    is_share: told.isShare,
    better: told.better ?? null,
    points: told.points.map(({ startMs, mean, count }) => ({
      at: toTimestamp(startMs),
      value: mean ?? null,
      count,
    })),
  }
}

function toWireAttention(attention: Attention): z.output<typeof attentionOutput> {
  const { severity, kind, externalId, monitorId, message } = attention
  return {
    severity,
    kind,
    ...defined({ external_id: externalId, monitor_id: monitorId }),
    message,
  }
}
