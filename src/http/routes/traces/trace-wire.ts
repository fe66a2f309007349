import * as z from 'zod'
import { EVALUATION_STATUSES } from '../../../domain/evaluation.ts'
import { EVALUATION_SCOPES } from '../../../domain/evaluator.ts'
import type { ModelPrices } from '../../../domain/model-prices.ts'
import type { ModelUses } from '../../../domain/model-use.ts'
import { defined } from '../../../lib/defined.ts'
import type { StoredAnnotation } from '../../../ports/annotation-storage.ts'
import type { StoredEvaluation } from '../../../ports/result-storage.ts'
import type { StoredSession, StoredTrace, TracePosition } from '../../../ports/trace-storage.ts'
import type { TraceSnippet } from '../../../query/find-traces.ts'
import { costOfModels } from '../../../query/model-costs.ts'
import type { ProjectEnvironments } from '../../project-environments.ts'
import { previewField } from '../../wire/preview-wire.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toUsd } from '../../wire/usd.ts'
import { toEvaluationId, toWireVerdict, verdictFields } from '../evaluations/evaluation-wire.ts'
import { scoreOutput, toWireScore } from '../scores/score-wire.ts'

/** The use of models, in every answer that adds it up. */
export const useFields = {
  model_calls: z.int(),
  prompt_tokens: z.int().describe('Of the calls that told them.'),
  completion_tokens: z.int().describe('Of the calls that told them.'),
  cost_usd: z
    .number()
    .optional()
    .describe('Of the calls whose tokens and price are known; absent, never 0, where there are only others.'),
  unpriced_calls: z.int().describe('Calls whose tokens or price are not known.'),
}

/** A result beside what it is about. */
export const shortEvaluation = z.object({
  id: z.string().describe('Of the result under `/v2/evaluations`.'),
  evaluator_type: z.string(),
  external_id: z.string().describe('Of the setup.'),
  scope: z.enum(EVALUATION_SCOPES),
  span_id: z.string().optional(),
  status: z.enum(EVALUATION_STATUSES),
  output: z.record(z.string(), z.unknown()).optional(),
  ...verdictFields,
  error_message: z.string().optional(),
})

/** The fields of a trace in a list. */
export const traceFields = {
  trace_id: z.string(),
  name: z.string().optional().describe('Of the root span; absent while that has not arrived.'),
  environment: z.string().optional(),
  service: z.string().optional(),
  model: z.string().optional().describe('Of the last call of a model.'),
  session_id: z.string().optional(),
  status: z.enum(['ok', 'error']).describe('`error` when one of its spans ended with an error.'),
  started_at: timestamp,
  duration_ms: z.number().describe('From the start of the first span to the end of the last.'),
  span_count: z.int(),
  error_count: z.int().describe('Spans that ended with an error.'),
  ...useFields,
  evaluations: z
    .array(shortEvaluation)
    .describe('Current results of the trace and of its spans; some of very many.'),
  scores: z
    .array(scoreOutput)
    .describe('What people and other programs said about it or about its session, newest first.'),
}

const snippetOutput = z.object({
  span_id: z.string().describe('The span that says it.'),
  text: z.string().describe('One line around the first match, cut where it is long.'),
  matches: z
    .array(z.object({ start: z.int(), end: z.int().describe('Not included.') }))
    .describe('Where the text was found in it, counted in Unicode code points.'),
})

/** A trace in a list. */
export const traceOutput = z
  .object({
    ...traceFields,
    ...previewField,
    snippet: snippetOutput.optional().describe('Present with `q`: the first place that contains the text.'),
  })
  .meta({ id: 'Trace' })

/** The fields of a session in a list. */
export const sessionFields = {
  session_id: z.string(),
  started_at: timestamp,
  ended_at: timestamp.describe('When its last span ended.'),
  trace_count: z.int(),
  span_count: z.int(),
  error_count: z.int(),
  ...useFields,
}

/** A session in a list. */
export const sessionOutput = z.object({ ...sessionFields, ...previewField }).meta({ id: 'Session' })

/** The use of models in the form of the wire. */
export function toWireUse(
  prices: ModelPrices,
  models: ModelUses,
  {
    modelCalls,
    promptTokens,
    completionTokens,
  }: Pick<StoredTrace, 'modelCalls' | 'promptTokens' | 'completionTokens'>,
) {
  const { costMicros, unpricedCalls } = costOfModels(prices, models)
  const counted = [...models.values()].reduce((sum, { calls }) => sum + calls, 0)
  // Calls that were added up before models were told apart have no price.
  const unknown = modelCalls - counted
  return {
    model_calls: modelCalls,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    ...(costMicros === undefined || (counted === 0 && unknown > 0) ? {} : { cost_usd: toUsd(costMicros) }),
    unpriced_calls: unpricedCalls + unknown,
  }
}

/** The data shown beside a trace. */
export interface TraceContext {
  readonly environments: ProjectEnvironments
  readonly prices: ModelPrices
  readonly evaluations: readonly StoredEvaluation[]
  readonly annotations: readonly StoredAnnotation[]
}

/** A trace in the form of the wire, with what belongs to it out of its context. */
export function toWireTrace(trace: StoredTrace, context: TraceContext): z.output<typeof traceOutput> {
  const { rootName, service, model, sessionId } = trace
  const { environments, prices, evaluations, annotations } = context
  const environment = environments.slugOf(trace.envProjectId)
  return {
    trace_id: trace.traceId,
    ...defined({ name: rootName, environment, service, model, session_id: sessionId }),
    status: trace.errorCount > 0 ? 'error' : 'ok',
    started_at: toTimestamp(trace.firstMs),
    duration_ms: trace.lastMs - trace.firstMs,
    span_count: trace.spanCount,
    error_count: trace.errorCount,
    ...toWireUse(prices, trace.models, trace),
    evaluations: evaluations.filter(({ traceId }) => traceId === trace.traceId).map(toShortEvaluation),
    scores: annotations
      .filter((annotation) =>
        annotation.traceId === undefined
          ? annotation.sessionId === sessionId && sessionId !== undefined
          : annotation.traceId === trace.traceId,
      )
      .map((annotation) => toWireScore(annotation, environments.slugOf)),
  }
}

/** The place of a found text in the form of the wire. */
export function toWireSnippet(snippet: TraceSnippet | undefined): {
  snippet?: z.output<typeof snippetOutput>
} {
  if (!snippet) return {}
  const { spanId, text, matches } = snippet
  return { snippet: { span_id: spanId, text, matches: matches.map((match) => ({ ...match })) } }
}

/** A result in the short form of the wire. */
export function toShortEvaluation(evaluation: StoredEvaluation): z.output<typeof shortEvaluation> {
  const { spanId, output, errorMessage } = evaluation
  return {
    id: toEvaluationId(evaluation.number),
    evaluator_type: evaluation.slug,
    external_id: evaluation.externalId,
    scope: evaluation.scope,
    ...defined({ span_id: spanId }),
    status: evaluation.status,
    ...(output === undefined ? {} : { output: { ...output } }),
    ...toWireVerdict(evaluation),
    ...defined({ error_message: errorMessage }),
  }
}

/** A session in the form of the wire. */
export function toWireSession(session: StoredSession, prices: ModelPrices): z.output<typeof sessionOutput> {
  return {
    session_id: session.sessionId,
    started_at: toTimestamp(session.firstMs),
    ended_at: toTimestamp(session.lastMs),
    trace_count: session.traceCount,
    span_count: session.spanCount,
    error_count: session.errorCount,
    ...toWireUse(prices, session.models, session),
  }
}

const CURSOR = /^traces:(\d{1,15}):([0-9a-f]{32})$/

/** A place between traces as a cursor that tells nothing. */
export function toTracesCursor({ firstMs, traceId }: TracePosition): string {
  return Buffer.from(`traces:${firstMs}:${traceId}`).toString('base64url')
}

/** The cursor of a list of traces in a query. */
export const tracesCursor = z
  .string()
  .transform((text, context): TracePosition => {
    const [, firstMs, traceId] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
    if (firstMs !== undefined && traceId !== undefined) return { firstMs: Number(firstMs), traceId }
    context.addIssue({ code: 'custom', message: 'must be the next_cursor of the page before' })
    return z.NEVER
  })
  .describe('The `next_cursor` of the page before.')
