import * as z from 'zod'
import { ANNOTATION_SOURCES, type AnnotationValue } from '../../../domain/annotation.ts'
import { defined } from '../../../lib/defined.ts'
import type { StoredAnnotation } from '../../../ports/annotation-storage.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toEvaluationId } from '../evaluations/evaluation-wire.ts'

/** An annotation, which the interface calls a score. A field that does not apply is left out, never null. */
export const scoreOutput = z
  .object({
    id: z.string().describe('16 hex digits; they grow in the order of arrival.'),
    trace_id: z.string().optional(),
    span_id: z.string().optional(),
    session_id: z.string().optional().describe('What it is about where that is no trace.'),
    name: z.string(),
    value: z.union([z.number(), z.boolean(), z.string(), z.array(z.string())]),
    comment: z.string().optional(),
    source: z.enum(ANNOTATION_SOURCES),
    evaluator: z.string().optional().describe('Slug of the evaluator whose verdict it is held against.'),
    task: z.string().optional().describe('The annotation task it was made for.'),
    actor: z.string().optional(),
    environment: z.string().optional(),
    created_at: timestamp,
  })
  .meta({ id: 'Score' })

/** An annotation in the form of the wire. */
export function toWireScore(
  annotation: StoredAnnotation,
  slugOf: (envProjectId: string) => string | undefined,
): z.output<typeof scoreOutput> {
  const { traceId, spanId, sessionId, comment, evaluator, task, actor } = annotation
  const environment = slugOf(annotation.envProjectId)
  return {
    id: toEvaluationId(annotation.number),
    ...defined({ trace_id: traceId, span_id: spanId, session_id: sessionId }),
    name: annotation.name,
    value: toWireValue(annotation.value),
    ...defined({ comment }),
    source: annotation.source,
    ...defined({ evaluator, task, actor, environment }),
    created_at: toTimestamp(annotation.createdAtMs),
  }
}

function toWireValue(value: AnnotationValue): number | boolean | string | string[] {
  return typeof value === 'object' ? [...value] : value
}
