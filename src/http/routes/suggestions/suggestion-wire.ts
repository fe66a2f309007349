import * as z from 'zod'
import type { JudgeEstimate } from '../../../control/dry-run/estimate-judging.ts'
import type { Preview } from '../../../control/suggest/preview-units.ts'
import { BACKFILL_TRACES, type Suggestion } from '../../../control/suggest/suggest-evaluators.ts'
import type { ApplicationSuggestions, SuggestionReport } from '../../../control/suggest/suggestions.ts'
import { APPLICATION_KINDS, APPLICATION_TRAITS } from '../../../domain/application/recognize-application.ts'
import { EVALUATION_SCOPES } from '../../../domain/evaluator.ts'
import { VERDICTS } from '../../../domain/verdict.ts'
import { defined } from '../../../lib/defined.ts'
import { toUsd } from '../../wire/usd.ts'
import { ruleOutput, toWireRule } from '../setups/selector-wire.ts'
import { storedOverride, toWireOverride } from '../setups/setup-output.ts'

const preview = z
  .object({
    trace_id: z.string(),
    span_id: z.string().optional().describe('Present where the unit is a single span.'),
    question: z.string().optional().describe('Cut where it is long.'),
    answer: z.string().optional().describe('Cut where it is long.'),
    output: z.record(z.string(), z.unknown()).optional().describe('The answer of the evaluator.'),
    verdict: z.enum(VERDICTS).optional().describe('Absent where it was not scored.'),
    verdict_label: z.string().optional().describe('The verdict in words; absent where it is neutral.'),
    input: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'For an evaluator that asks a provider: the input to execute it with. Absent where it is too long.',
      ),
  })
  .meta({ id: 'SuggestionPreview' })

const suggestion = z
  .object({
    evaluator_type: z.string().describe('The evaluator slug.'),
    reason: z.string().describe('Why it is suggested, in a sentence.'),
    state: z
      .enum(['free', 'judged', 'no_judge'])
      .describe(
        '`free`: runs in this service. `judged`: asks a provider. `no_judge`: its inputs are there, but no judge that could decide it.',
      ),
    scope: z.enum(EVALUATION_SCOPES).describe('The unit of one evaluation, as binding chooses it.'),
    config: storedOverride.describe('The item of `evaluator_configs` to create it with.'),
    judge: z.string().optional().describe('The provider and model that would be asked.'),
    pass_label: z.string(),
    fail_label: z.string(),
    evaluations_per_day: z.int().describe('If every time is like the sampled one.'),
    cost_per_day_usd: z
      .number()
      .optional()
      .describe('Absent where no provider is asked or its price is not known.'),
    backfill_cost_usd: z
      .number()
      .optional()
      .describe(
        `Of the newest ${BACKFILL_TRACES} traces. Absent where no provider is asked or its price is not known.`,
      ),
    previews: z.array(preview).max(3).describe('Answers of the application; scored where that is free.'),
  })
  .meta({ id: 'Suggestion' })

const application = z
  .object({
    service_name: z
      .string()
      .nullable()
      .describe('The attribute `service.name`; null where spans do not tell.'),
    sentence: z
      .string()
      .describe('What the application is, for example "We see a chat assistant in LangChain."'),
    kind: z.enum(APPLICATION_KINDS),
    traits: z.array(z.enum(APPLICATION_TRAITS)),
    framework: z.string().optional(),
    traces_sampled: z.int(),
    spans_sampled: z.int(),
    traces_per_day: z.int(),
    external_id: z.string().describe('A name for the setup that the project does not use yet.'),
    selector: z.array(ruleOutput).describe('The rules that select its spans.'),
    setups: z
      .array(z.string())
      .describe('Setups that match its spans already; their evaluators are not suggested again.'),
    suggestions: z.array(suggestion).describe('Free ones first.'),
  })
  .meta({ id: 'ApplicationSuggestions' })

/** Everything that the newest traces suggest. */
export const suggestionsOutput = z
  .object({
    applications: z.array(application).describe('Those with the most traces first.'),
    spans_sampled: z.int(),
    sample_complete: z.boolean().describe('Whether every stored span is in the sample.'),
    backfill_traces: z.int().describe('The traces that `backfill_cost_usd` is about.'),
  })
  .meta({ id: 'Suggestions' })

/** A report in the form of the wire. */
export function toWireSuggestions(
  { applications, spanCount, isComplete }: SuggestionReport,
  limit: number,
): z.output<typeof suggestionsOutput> {
  return {
    applications: applications.slice(0, limit).map(toWireApplication),
    spans_sampled: spanCount,
    sample_complete: isComplete,
    backfill_traces: BACKFILL_TRACES,
  }
}

function toWireApplication(one: ApplicationSuggestions): z.output<typeof application> {
  return {
    service_name: one.serviceName ?? null,
    sentence: one.sentence,
    kind: one.kind,
    traits: [...one.traits],
    ...defined({ framework: one.framework?.name }),
    traces_sampled: one.traceCount,
    spans_sampled: one.spanCount,
    traces_per_day: one.tracesPerDay,
    external_id: one.externalId,
    selector: one.selector.map(toWireRule),
    setups: [...one.setups],
    suggestions: one.suggestions.map(toWireSuggestion),
  }
}

function toWireSuggestion(one: Suggestion): z.output<typeof suggestion> {
  const { entry, labels } = one
  return {
    evaluator_type: entry.slug,
    reason: one.reason,
    state: one.state,
    scope: one.scope,
    config: { slug: entry.slug, ...toWireOverride(entry.override) },
    ...defined({ judge: one.judge }),
    pass_label: labels.pass,
    fail_label: labels.fail,
    evaluations_per_day: one.evaluationsPerDay,
    ...defined({ cost_per_day_usd: costOf(one.perDay), backfill_cost_usd: costOf(one.backfill) }),
    previews: one.previews.map((each) => toWirePreview(each, labels)),
  }
}

function costOf(estimate: JudgeEstimate | undefined): number | undefined {
  return estimate?.costMicros === undefined ? undefined : toUsd(estimate.costMicros)
}

function toWirePreview(
  { traceId, spanId, question, answer, input, output, verdict }: Preview,
  labels: Suggestion['labels'],
): z.output<typeof preview> {
  const label = verdict === 'pass' || verdict === 'fail' ? labels[verdict] : undefined
  return {
    trace_id: traceId,
    ...defined({ span_id: spanId, question, answer, verdict, verdict_label: label }),
    ...(output && { output: { ...output } }),
    ...(input && { input: { ...input } }),
  }
}
