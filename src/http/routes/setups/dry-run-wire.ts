import * as z from 'zod'
import type { DryRunReport, DryRunRequest } from '../../../control/dry-run/dry-run.ts'
import type { SpanIds } from '../../../control/dry-run/dry-run-count.ts'
import type { JudgeEstimate } from '../../../control/dry-run/estimate-judging.ts'
import type { Fix } from '../../../control/dry-run/find-fixes.ts'
import type { EntryTrial } from '../../../control/dry-run/try-entry.ts'
import { EVALUATION_SCOPES } from '../../../domain/evaluator.ts'
import { defined } from '../../../lib/defined.ts'
import { checkOrder, timeParam } from '../../wire/query-params.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toUsd } from '../../wire/usd.ts'
import { storedOverride, toWireOverride } from './setup-output.ts'

const HOUR_MS = 3_600_000
const SPANS_MAX = 200_000
const SPANS_DEFAULT = 50_000

/** The options of a dry run besides the setup. */
export const dryRunOptions = z
  .object({
    window: z
      .object({ from: timeParam().optional(), to: timeParam().optional() })
      .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to))
      .optional()
      .describe('Spans that arrived from `from` until before `to`; absent: those of the last hour.'),
    spans_max: z
      .int()
      .min(1)
      .max(SPANS_MAX)
      .optional()
      .describe(
        `Spans to look at, the newest first; ${SPANS_DEFAULT} when absent. The newest request of a sender is looked at whole.`,
      ),
  })
  .meta({ id: 'DryRunOptions' })

const spanIds = z.object({ trace_id: z.string(), span_id: z.string() })

const perDay = z
  .object({
    evaluations: z.int(),
    judge_calls: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cost_usd: z.number().optional().describe('Absent when the price of the model is not known.'),
    basis: z
      .enum(['recent_evaluations', 'input_lengths'])
      .describe(
        'What the numbers rest on: results of this evaluator and judge, or the lengths of the inputs.',
      ),
  })
  .meta({ id: 'JudgeEstimate' })

const entryTrial = z
  .object({
    evaluator_type: z.string().describe('The evaluator slug.'),
    scope: z.enum(EVALUATION_SCOPES).optional().describe('Absent when there is no such evaluator any more.'),
    sampling_rate: z.number(),
    error_message: z
      .string()
      .optional()
      .describe('Why it would get no monitor from these spans, as the setup would say it.'),
    fixes: z
      .array(
        z.object({
          label: z.string().describe('For a button.'),
          change: storedOverride.describe('Takes the place of the item of `evaluator_configs`.'),
        }),
      )
      .optional()
      .describe(
        'Changes after which it would get a monitor, each tried on the same spans; absent where there are none.',
      ),
    judge: z.string().optional().describe('The provider and model that would be asked.'),
    checked: z
      .int()
      .optional()
      .describe(
        'Units that inputs were taken out of: the newest matching spans, or a few of their traces. Absent where none could help.',
      ),
    missing_share: z
      .number()
      .optional()
      .describe('Share of those that lack an input; absent when there are none.'),
    missing_inputs: z.record(z.string(), z.int()).optional().describe('How many of them lack each input.'),
    skipped: z
      .record(z.string(), z.int())
      .optional()
      .describe(
        'Matching spans that were read and would not be scored, by what they are: `workflow`, `chain`, `wrapper` and so on. Absent: none.',
      ),
    input_error: z.string().optional().describe('Why inputs could not be taken out of some spans.'),
    inputs: z
      .array(z.object({ ...spanIds.shape, input: z.record(z.string(), z.string()) }))
      .describe('What the evaluator would be given, from at most five spans; long texts are cut.'),
    per_day: perDay
      .optional()
      .describe('What a judge would be asked in a day; absent where it cannot be told.'),
  })
  .meta({ id: 'EntryTrial' })

/** The expected effect of a setup. */
export const dryRunOutput = z
  .object({
    external_id: z.string(),
    current_version: z.int().optional().describe('Of the stored setup; absent when there is none.'),
    window: z.object({ from: timestamp, to: timestamp }),
    looked: z.object({
      spans: z.int(),
      batches: z.int().describe('Requests of senders.'),
      from: timestamp.describe('Everything that arrived from then on was looked at.'),
      complete: z.boolean().describe('Whether that is the whole window.'),
      stopped_by: z.enum(['spans', 'bytes', 'time']).optional(),
    }),
    matched: z.int(),
    matched_traces: z.int().optional().describe('Absent when there are too many to be told apart.'),
    matched_per_day: z.number().optional().describe('If every time is like the one that was looked at.'),
    examples: z.array(spanIds).describe('At most five of the newest spans that match.'),
    gained: z.int().optional().describe('Spans that match now and did not; absent without a stored setup.'),
    lost: z.int().optional().describe('Spans that matched and would not any more.'),
    gained_examples: z.array(spanIds).optional(),
    lost_examples: z.array(spanIds).optional(),
    evaluators: z.array(entryTrial),
  })
  .meta({ id: 'DryRun' })

/** The window and the limit that are asked for; until now and for an hour where nothing is said. */
export function toDryRunWindow(
  { window = {}, spans_max: spansMax = SPANS_DEFAULT }: z.output<typeof dryRunOptions>,
  nowMs: number,
): Pick<DryRunRequest, 'fromMs' | 'toMs' | 'spansMax'> {
  // Spans that have arrived in this very millisecond belong to the window.
  const toMs = window.to ?? Math.max(nowMs + 1, (window.from ?? 0) + 1)
  return { fromMs: window.from ?? toMs - HOUR_MS, toMs, spansMax }
}

/** A report in the form of the wire. */
export function toWireDryRun(
  { proposed, current, fromMs, toMs }: DryRunRequest,
  report: DryRunReport,
): z.output<typeof dryRunOutput> {
  const { change, stoppedBy, matchedTraces, matchedPerDay } = report
  return {
    external_id: proposed.externalId,
    ...(current ? { current_version: current.version } : {}),
    window: { from: toTimestamp(fromMs), to: toTimestamp(toMs) },
    looked: {
      spans: report.spans,
      batches: report.batches,
      from: toTimestamp(report.lookedFromMs),
      complete: stoppedBy === undefined,
      ...(stoppedBy ? { stopped_by: stoppedBy } : {}),
    },
    matched: report.matched,
    ...defined({ matched_traces: matchedTraces }),
    ...(matchedPerDay === undefined ? {} : { matched_per_day: Math.round(matchedPerDay) }),
    examples: report.examples.map(toWireIds),
    ...(change
      ? {
          gained: change.gained,
          lost: change.lost,
          gained_examples: change.gainedExamples.map(toWireIds),
          lost_examples: change.lostExamples.map(toWireIds),
        }
      : {}),
    evaluators: report.entries.map((entry) => toWireTrial(entry, report.judging.get(entry.slug))),
  }
}

function toWireTrial(entry: EntryTrial, estimate: JudgeEstimate | undefined): z.output<typeof entryTrial> {
  const { scope, errorMessage, judge, inputs, skipped } = entry
  return {
    evaluator_type: entry.slug,
    ...defined({ scope }),
    sampling_rate: entry.samplingRate,
    ...defined({ error_message: errorMessage, judge }),
    ...(entry.fixes && { fixes: entry.fixes.map((fix) => toWireFix(entry.slug, fix)) }),
    ...(inputs ? { checked: inputs.checked, missing_inputs: { ...inputs.missingByInput } } : {}),
    ...(inputs && inputs.checked > 0 ? { missing_share: inputs.missing / inputs.checked } : {}),
    ...(skipped === undefined ? {} : { skipped: { ...skipped } }),
    ...(inputs?.refusal === undefined ? {} : { input_error: inputs.refusal }),
    inputs: (inputs?.shown ?? []).map((one) => ({ ...toWireIds(one), input: { ...one.input } })),
    ...(estimate ? { per_day: toWireEstimate(estimate) } : {}),
  }
}

function toWireFix(slug: string, { label, override }: Fix) {
  return { label, change: { slug, ...toWireOverride(override) } }
}

function toWireEstimate({ costMicros, ...estimate }: JudgeEstimate): z.output<typeof perDay> {
  return {
    evaluations: estimate.evaluations,
    judge_calls: estimate.calls,
    prompt_tokens: estimate.promptTokens,
    completion_tokens: estimate.completionTokens,
    ...(costMicros === undefined ? {} : { cost_usd: toUsd(costMicros) }),
    basis: estimate.basis,
  }
}

function toWireIds({ traceId, spanId }: SpanIds) {
  return { trace_id: traceId, span_id: spanId }
}
