import * as z from 'zod'
import { EVALUATION_STATUSES } from '../../../domain/evaluation.ts'
import { EVALUATION_SCOPES } from '../../../domain/evaluator.ts'
import { VERDICTS } from '../../../domain/verdict.ts'
import { defined } from '../../../lib/defined.ts'
import type { EvaluationDetail, StoredEvaluation } from '../../../ports/result-storage.ts'
import { mappingOutput, toWireMapping } from '../../wire/mapping-wire.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { judgementOutput, toWireJudgement } from './judgement-wire.ts'

const ID_DIGITS = 16

/** The verdict on a result, in every answer that shows one. */
export const verdictFields = {
  verdict: z
    .enum(VERDICTS)
    .optional()
    .describe(
      'Whether the answer is good; `neutral` where the evaluator only counts. Absent where nothing was scored.',
    ),
  verdict_label: z.string().optional().describe('The verdict in plain words; absent where it is neutral.'),
}

const evaluationFields = {
  id: z.string().describe('16 hex digits; they grow in the order of recording.'),
  external_id: z.string().describe('Of the setup.'),
  monitor_id: z.string(),
  evaluator_type: z.string().describe('The evaluator slug.'),
  scope: z.enum(EVALUATION_SCOPES),
  trace_id: z.string().describe('32 lower-case hex digits.'),
  span_id: z.string().optional().describe('16 lower-case hex digits; absent unless the scope is `span`.'),
  session_id: z.string().optional(),
  application: z
    .string()
    .optional()
    .describe(
      'The service, or the workflow where the service has no name of its own; absent where neither is known.',
    ),
  status: z.enum(EVALUATION_STATUSES).describe('`superseded` once a newer generation has taken its place.'),
  output: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('What the evaluator answered; present exactly where it did.'),
  ...verdictFields,
  error_message: z.string().optional(),
  judge: z
    .string()
    .optional()
    .describe('Who judged: `provider/model`, or `embedded`; absent where no judge is needed.'),
  created_at: timestamp,
}

/** An evaluation in a list. A field that does not apply is left out, never null. */
export const evaluationOutput = z.object(evaluationFields)

/** An evaluation with everything that decided it. */
export const evaluationDetailOutput = z
  .object({
    ...evaluationFields,
    input: z
      .record(z.string(), z.string())
      .optional()
      .describe('What the evaluator was given, read again from the stored spans that had arrived by then.'),
    input_unavailable: z.string().optional().describe('Why there is no `input`.'),
    monitor_version: z.int().describe('Version of the monitor that made it.'),
    evaluator_version: z.int(),
    generation: z.int().describe('1 for the first evaluation of its unit.'),
    mapping: z.record(z.string(), mappingOutput),
    config: z.record(z.string(), z.unknown()),
    judgement: judgementOutput.optional(),
    timings: z.object({
      unit_started_at: timestamp.describe('When the span or trace began.'),
      received_at: timestamp.optional().describe('When it arrived; absent once it is no longer kept.'),
      queued_ms: z.number().optional().describe('From its arrival until the result was recorded.'),
      duration_ms: z.number().describe('How long the evaluator took.'),
    }),
  })
  .meta({ id: 'EvaluationDetail' })

/** The public id of an evaluation. */
export function toEvaluationId(number: number): string {
  return number.toString(16).padStart(ID_DIGITS, '0')
}

/** The number that a public id stands for; undefined for a text that is none. */
export function fromEvaluationId(id: string): number | undefined {
  if (!/^[0-9a-f]{16}$/.test(id)) return undefined
  const number = Number.parseInt(id, 16)
  return Number.isSafeInteger(number) ? number : undefined
}

/** An evaluation in the form of the wire. */
export function toWireEvaluation(evaluation: StoredEvaluation): z.output<typeof evaluationOutput> {
  const { spanId, sessionId, application, output, errorMessage, judge } = evaluation
  return {
    id: toEvaluationId(evaluation.number),
    external_id: evaluation.externalId,
    monitor_id: evaluation.monitorId,
    evaluator_type: evaluation.slug,
    scope: evaluation.scope,
    trace_id: evaluation.traceId,
    ...defined({ span_id: spanId, session_id: sessionId, application }),
    status: evaluation.status,
    ...(output === undefined ? {} : { output: { ...output } }),
    ...toWireVerdict(evaluation),
    ...defined({ error_message: errorMessage, judge }),
    created_at: toTimestamp(evaluation.createdAtMs),
  }
}

/** The verdict on a result and its words; nothing where it was not scored. */
export function toWireVerdict({ verdict, verdictRule }: Pick<StoredEvaluation, 'verdict' | 'verdictRule'>) {
  const label = verdict === undefined || verdict === 'neutral' ? undefined : verdictRule?.labels[verdict]
  return defined({ verdict, verdict_label: label })
}

/** An evaluation with its input, or with the reason why there is none. */
export function toWireEvaluationDetail(
  detail: EvaluationDetail,
  input: { readonly input: Readonly<Record<string, string>> } | { readonly reason: string },
): z.output<typeof evaluationDetailOutput> {
  const { monitorVersion, receivedAtMs, judgement } = detail
  return {
    ...toWireEvaluation(detail),
    ...('input' in input ? { input: { ...input.input } } : { input_unavailable: input.reason }),
    monitor_version: monitorVersion.version,
    evaluator_version: monitorVersion.evaluatorVersion,
    generation: detail.generation,
    mapping: toWireMapping(monitorVersion.mapping),
    config: { ...monitorVersion.config },
    ...(judgement === undefined ? {} : { judgement: toWireJudgement(judgement) }),
    timings: {
      unit_started_at: toTimestamp(detail.unitAtMs),
      ...(receivedAtMs === undefined
        ? {}
        : { received_at: toTimestamp(receivedAtMs), queued_ms: detail.createdAtMs - receivedAtMs }),
      duration_ms: detail.durationUs / 1_000,
    },
  }
}
