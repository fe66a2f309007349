import * as z from 'zod'
import { SCORE_SOURCES, type ScoreValue } from '../../../domain/score.ts'
import { defined } from '../../../lib/defined.ts'
import type { StoredScore } from '../../../ports/score-storage.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toEvaluationId } from '../evaluations/evaluation-wire.ts'

/** A score from outside. What does not apply is left out, never null. */
export const scoreOutput = z
  .object({
    id: z.string().describe('16 hex digits; they grow in the order of arrival.'),
    trace_id: z.string().optional(),
    span_id: z.string().optional(),
    session_id: z.string().optional().describe('What it is about where that is no trace.'),
    name: z.string(),
    value: z.union([z.number(), z.boolean(), z.string(), z.array(z.string())]),
    comment: z.string().optional(),
    source: z.enum(SCORE_SOURCES),
    evaluator: z.string().optional().describe('Slug of the evaluator whose verdict it is held against.'),
    task: z.string().optional().describe('The annotation task it was made for.'),
    actor: z.string().optional(),
    environment: z.string().optional(),
    created_at: timestamp,
  })
  .meta({ id: 'Score' })

/** A score in the form of the wire. */
export function toWireScore(
  score: StoredScore,
  slugOf: (envProjectId: string) => string | undefined,
): z.output<typeof scoreOutput> {
  const { traceId, spanId, sessionId, comment, evaluator, task, actor } = score
  const environment = slugOf(score.envProjectId)
  return {
    id: toEvaluationId(score.number),
    ...defined({ trace_id: traceId, span_id: spanId, session_id: sessionId }),
    name: score.name,
    value: toWireValue(score.value),
    ...defined({ comment }),
    source: score.source,
    ...defined({ evaluator, task, actor, environment }),
    created_at: toTimestamp(score.createdAtMs),
  }
}

function toWireValue(value: ScoreValue): number | boolean | string | string[] {
  return typeof value === 'object' ? [...value] : value
}
