import * as z from 'zod'
import { EVALUATION_STATUSES } from '../../../domain/evaluation.ts'
import { EVALUATION_SCOPES } from '../../../domain/evaluator.ts'
import type { RuleExplanation } from '../../../domain/selector-matcher.ts'
import { ENTRY_STATUSES } from '../../../domain/setup-status.ts'
import { defined } from '../../../lib/defined.ts'
import { oneLine } from '../../../lib/one-line.ts'
import type { AttributeValue } from '../../../lib/otlp/span.ts'
import type { GatheredUnit } from '../../../ports/explain-storage.ts'
import { ENTRY_OUTCOMES, type EntryExplanation } from '../../../query/explain/explain-entry.ts'
import type { SetupExplanation, SpanExplanation } from '../../../query/explain/explain-span.ts'
import { valueText } from '../../../query/explain/rule-words.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toEvaluationId, toWireVerdict, verdictFields } from '../evaluations/evaluation-wire.ts'
import { ruleOutput, toWireRule } from '../setups/selector-wire.ts'

/** Longest value of an attribute that is shown. */
const VALUE_CHARS_MAX = 500

const VALUE_KINDS = ['string', 'number', 'boolean', 'bytes', 'array', 'map', 'null'] as const

const ruleExplanation = z
  .object({
    rule: ruleOutput,
    found: z
      .array(
        z.object({
          key: z.string().describe('The name that the span has it under: the key of the rule or an alias.'),
          type: z.enum(VALUE_KINDS),
          value: z.string().describe('As text; a long one is cut and ends in an ellipsis.'),
        }),
      )
      .describe('Empty when the span has no such attribute.'),
    holds: z.boolean(),
  })
  .meta({ id: 'RuleExplanation' })

const entryExplanation = z
  .object({
    evaluator_type: z.string().describe('The evaluator slug.'),
    outcome: z
      .enum([...EVALUATION_STATUSES, ...ENTRY_OUTCOMES])
      .describe('Status of the evaluation, or what keeps it from having one.'),
    reason: z.string(),
    entry_status: z
      .enum(ENTRY_STATUSES)
      .optional()
      .describe('Absent when the setup has changed since or is deleted.'),
    entry_error_message: z.string().optional(),
    scope: z.enum(EVALUATION_SCOPES).optional().describe('Absent: the default of the evaluator.'),
    sampling_rate: z.number(),
    monitor_id: z.string().optional(),
    monitor_version: z.int().optional(),
    judge: z.string().optional(),
    work: z
      .object({
        state: z.enum(['ready', 'leased', 'done', 'cancelled']),
        attempts: z.int(),
        ready_at: timestamp.optional().describe('Present when it was put off: not before then.'),
        lease_until: timestamp.optional(),
      })
      .optional(),
    unit: z
      .object({
        scope: z.enum(['trace', 'session']),
        state: z.enum(['open', 'leased', 'done']),
        attempts: z.int(),
        changed_at: timestamp.describe('When its newest span arrived.'),
        look_at: timestamp.describe('When it is looked at, if nothing more arrives.'),
        lease_until: timestamp.optional(),
      })
      .optional()
      .describe('The trace or session, where more than a span is evaluated.'),
    evaluation: z
      .object({
        id: z.string(),
        status: z.enum(EVALUATION_STATUSES),
        generation: z.int(),
        output: z.record(z.string(), z.unknown()).optional(),
        ...verdictFields,
        error_message: z.string().optional(),
        created_at: timestamp,
      })
      .optional(),
  })
  .meta({ id: 'EntryExplanation' })

const setupExplanation = z
  .object({
    external_id: z.string(),
    id: z.string(),
    environment: z.string(),
    summary: z.string().describe('One sentence for people.'),
    standing: z
      .enum(['decided', 'created_later', 'deleted_before', 'other_environment'])
      .describe('Whether the setup had anything to decide about the span.'),
    matched: z.boolean().describe('As it was decided when the span arrived, or by a backfill.'),
    backfilled: z.boolean().describe('Whether a backfill has made the match.'),
    version: z.int().optional().describe('The version that decided; absent when none did.'),
    current_version: z.int(),
    created_at: timestamp,
    deleted_at: timestamp.optional(),
    rules: z.array(ruleExplanation).describe('The rules of that version, tried again.'),
    evaluators: z.array(entryExplanation),
  })
  .meta({ id: 'SetupExplanation' })

/** Everything that can be told about a span. */
export const spanExplanationOutput = z
  .object({
    trace_id: z.string(),
    span_id: z.string(),
    span_name: z.string(),
    environment: z.string(),
    received_at: timestamp,
    sampling_number: z
      .number()
      .describe('Of the trace, from 0 up to 1; a sampling rate above it lets the span through.'),
    is_judge_call: z.boolean().describe('Calls of our own judges are matched by no setup.'),
    setups: z.array(setupExplanation),
    next_cursor: z.string().optional(),
  })
  .meta({ id: 'SpanExplanation' })

/** An explanation in the form of the wire. */
export function toWireExplanation(explanation: SpanExplanation): z.output<typeof spanExplanationOutput> {
  const { view, setups, nextAfter } = explanation
  return {
    trace_id: view.traceId,
    span_id: view.spanId,
    span_name: view.name,
    environment: explanation.environment,
    received_at: toTimestamp(explanation.receivedAtMs),
    sampling_number: explanation.samplingNumber,
    is_judge_call: explanation.isJudgeCall,
    setups: setups.map(toWireSetupExplanation),
    ...defined({ next_cursor: nextAfter }),
  }
}

function toWireSetupExplanation(setup: SetupExplanation): z.output<typeof setupExplanation> {
  const { decision, rules, entries } = setup
  return {
    external_id: decision.externalId,
    id: decision.setupId,
    environment: decision.environment,
    summary: setup.summary,
    standing: setup.standing,
    matched: decision.isMatched,
    backfilled: decision.isBackfilled,
    ...(decision.decidedBy ? { version: decision.decidedBy.version } : {}),
    current_version: decision.currentVersion,
    created_at: toTimestamp(decision.createdAtMs),
    ...(decision.deletedAtMs === undefined ? {} : { deleted_at: toTimestamp(decision.deletedAtMs) }),
    rules: (rules?.rules ?? []).map(toWireRuleExplanation),
    evaluators: entries.map(toWireEntryExplanation),
  }
}

function toWireRuleExplanation({ rule, found, holds }: RuleExplanation): z.output<typeof ruleExplanation> {
  return {
    rule: toWireRule(rule),
    found: found.map(({ key, value }) => ({
      key,
      type: kindOf(value),
      value: oneLine(valueText(value), VALUE_CHARS_MAX),
    })),
    holds,
  }
}

function kindOf(value: AttributeValue): (typeof VALUE_KINDS)[number] {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Uint8Array) return 'bytes'
  if (typeof value === 'object') return 'map'
  return typeof value === 'bigint' ? 'number' : (typeof value as 'string' | 'number' | 'boolean')
}

function toWireEntryExplanation(explained: EntryExplanation): z.output<typeof entryExplanation> {
  const { entry, monitor, scope } = explained
  return {
    evaluator_type: explained.slug,
    outcome: explained.outcome,
    reason: explained.reason,
    ...(entry ? { entry_status: entry.status } : {}),
    ...(entry?.errorMessage === undefined ? {} : { entry_error_message: entry.errorMessage }),
    ...defined({ scope }),
    sampling_rate: explained.samplingRate,
    ...(monitor ? { monitor_id: monitor.monitorId, monitor_version: monitor.version } : {}),
    ...(monitor?.judge === undefined ? {} : { judge: monitor.judge }),
    // The work on a batch is about other spans of it where this one does not match.
    ...(monitor?.work && explained.outcome !== 'not_matched' ? { work: toWireWork(monitor.work) } : {}),
    ...(monitor?.unit ? { unit: toWireUnit(monitor.unit) } : {}),
    ...(monitor?.evaluation ? { evaluation: toWireResult(monitor.evaluation) } : {}),
  }
}

type Monitor = NonNullable<EntryExplanation['monitor']>

function toWireWork({ state, attempts, readyAtMs, leaseUntilMs }: NonNullable<Monitor['work']>) {
  return {
    state,
    attempts,
    ...(state === 'ready' && readyAtMs > 0 ? { ready_at: toTimestamp(readyAtMs) } : {}),
    ...(leaseUntilMs === undefined ? {} : { lease_until: toTimestamp(leaseUntilMs) }),
  }
}

function toWireUnit({ scope, state, attempts, changedAtMs, lookAtMs, leaseUntilMs }: GatheredUnit) {
  return {
    ...{ scope, state, attempts },
    changed_at: toTimestamp(changedAtMs),
    look_at: toTimestamp(lookAtMs),
    ...(leaseUntilMs === undefined ? {} : { lease_until: toTimestamp(leaseUntilMs) }),
  }
}

function toWireResult(evaluation: NonNullable<Monitor['evaluation']>) {
  const { output, errorMessage } = evaluation
  return {
    id: toEvaluationId(evaluation.number),
    status: evaluation.status,
    generation: evaluation.generation,
    ...(output === undefined ? {} : { output: { ...output } }),
    ...toWireVerdict(evaluation),
    ...defined({ error_message: errorMessage }),
    created_at: toTimestamp(evaluation.createdAtMs),
  }
}
