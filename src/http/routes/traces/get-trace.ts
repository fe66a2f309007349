import { setImmediate } from 'node:timers/promises'
import * as z from 'zod'
import { notFound } from '../../../domain/errors.ts'
import { defined } from '../../../lib/defined.ts'
import type { StoredImage } from '../../../ports/image-storage.ts'
import type { ShownSpan } from '../../../query/show-spans.ts'
import { showTraceSpans } from '../../../query/show-trace.ts'
import { readEnvironments } from '../../project-environments.ts'
import { defineRoute, JsonText } from '../../route.ts'
import { readAnnotationsOf } from '../../trace-context.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { traceParams } from '../../wire/path-params.ts'
import { imageOutput, toWireImage } from '../images/image-wire.ts'
import { scoreOutput, toWireScore } from '../scores/score-wire.ts'
import { toWireTraceSpan, traceSpanFields } from './trace-span-wire.ts'
import { toTraceSpansCursor, traceSpansCursor } from './trace-spans-cursor.ts'
import {
  shortEvaluation,
  type TraceContext,
  toShortEvaluation,
  toWireTrace,
  traceFields,
} from './trace-wire.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 500
/** Results that are shown with one page of spans. */
const EVALUATIONS_MAX = 10_000
/** Spans that are written before others get their turn. */
const WRITTEN_AT_ONCE = 50
const traceDetail = z
  .object({
    ...traceFields,
    evaluations: z.array(shortEvaluation).describe('Current results of the trace as a whole.'),
    scores: z.array(scoreOutput).describe('What was said about the trace as a whole or its session.'),
    spans: z
      .array(
        z.object({
          ...traceSpanFields,
          evaluations: z.array(shortEvaluation).describe('Current results of the span.'),
          scores: z.array(scoreOutput),
          images: z.array(imageOutput).describe('Images that an SDK has taken out of the prompt.'),
        }),
      )
      .describe('In order of their starts.'),
    spans_cut: z
      .boolean()
      .describe('True when the trace came in so many requests that only the spans of the first are shown.'),
    next_cursor: z.string().optional().describe('Absent with the last spans.'),
  })
  .meta({ id: 'TraceDetail' })

export const getTraceRoute = defineRoute({
  method: 'GET',
  path: '/v2/traces/{trace_id}',
  operationId: 'getTrace',
  tag: 'Traces',
  summary: 'Read a trace',
  description: 'A trace with its spans, the results of both, and what people said about them.',
  access: 'read',
  params: traceParams,
  query: z.object({
    limit: pageLimit(LIMIT_MAX).optional().describe(`Most spans of a page; ${LIMIT_DEFAULT} when absent.`),
    cursor: traceSpansCursor.optional(),
  }),
  success: { status: 200, description: 'The trace.', schema: traceDetail },
  errors: { 404: 'The project has no such trace.' },
  async handle({ principal, params, query }, { storage, prices }) {
    const traceId = params.trace_id.toLowerCase()
    const trace = /^[0-9a-f]{32}$/.test(traceId) ? await storage.getTrace(principal, traceId) : undefined
    if (!trace) throw notFound('trace not found')
    const { spans, next, isCut } = await showTraceSpans(storage, principal, traceId, {
      limit: query.limit ?? LIMIT_DEFAULT,
      ...defined({ after: query.cursor }),
    })
    const [environments, images, evaluations, annotations] = await Promise.all([
      readEnvironments(storage, principal),
      storage.listImages(principal, traceId),
      storage.listTraceEvaluations(principal, [traceId], {
        spanIds: spans.map(({ span }) => span.spanId),
        limitEach: EVALUATIONS_MAX,
      }),
      readAnnotationsOf(storage, principal, [trace]),
    ])
    const context = { environments, prices, evaluations, annotations }
    const whole = {
      ...context,
      evaluations: evaluations.filter(({ spanId }) => spanId === undefined),
      annotations: annotations.filter(({ spanId }) => spanId === undefined),
    }
    const rest = {
      spans_cut: isCut,
      ...(next === undefined ? {} : { next_cursor: toTraceSpansCursor(next) }),
    }
    const head = JSON.stringify({ ...toWireTrace(trace, whole), ...rest })
    return new JsonText(`${head.slice(0, -1)},"spans":[${await toJson(spans, context, images)}]}`)
  },
})

// A page may be several megabytes of text; in one piece it would hold up all other requests.
async function toJson(
  spans: readonly ShownSpan[],
  { environments, evaluations, annotations }: TraceContext,
  images: readonly StoredImage[],
): Promise<string> {
  const evaluationsOf = Map.groupBy(evaluations, ({ spanId }) => spanId)
  const annotationsOf = Map.groupBy(annotations, ({ spanId }) => spanId)
  const imagesOf = Map.groupBy(images, ({ spanId }) => spanId)
  const texts: string[] = []
  for (const { span, envProjectId } of spans) {
    texts.push(
      JSON.stringify({
        ...toWireTraceSpan(span, environments.slugOf(envProjectId)),
        evaluations: (evaluationsOf.get(span.spanId) ?? []).map(toShortEvaluation),
        scores: (annotationsOf.get(span.spanId) ?? []).map((annotation) =>
          toWireScore(annotation, environments.slugOf),
        ),
        images: (imagesOf.get(span.spanId) ?? []).map(toWireImage),
      }),
    )
    if (texts.length % WRITTEN_AT_ONCE === 0) await setImmediate()
  }
  return texts.join(',')
}
