import * as z from 'zod'
import { ANNOTATION_SOURCES, type Annotation } from '../../../domain/annotation.ts'
import { boundedName } from '../../../domain/bounded-name.ts'
import { loadKnownEvaluators } from '../../../evaluators/known-evaluators.ts'
import { defined } from '../../../lib/defined.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import type { AnnotationFilter } from '../../../ports/annotation-storage.ts'
import { readEnvironments } from '../../project-environments.ts'
import { defineRoute } from '../../route.ts'
import { cursorParam, toCursor } from '../../wire/cursor.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { checkOrder, hexParam, timeParam } from '../../wire/query-params.ts'
import { boundedText, requiredName, spanName, TEXT_CHARS_MAX } from '../../wire/text-schemas.ts'
import { scoreOutput, toWireScore } from './score-wire.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 50
const NAME_CHARS_MAX = 255
const CURSOR = 'scores'

const scoreInput = z
  .object({
    trace_id: hexParam(16).optional().describe('The trace it is about: 32 hex digits.'),
    span_id: hexParam(8).optional().describe('The span it is about, together with its trace: 16 hex digits.'),
    session_id: requiredName(TEXT_CHARS_MAX)
      .transform(boundedName)
      .optional()
      .describe('What it is about where that is no trace.'),
    name: requiredName(NAME_CHARS_MAX).describe('What is judged, for example `helpful`.'),
    value: z.union([z.number(), z.boolean(), boundedText()]),
    comment: boundedText().optional(),
    source: z.enum(ANNOTATION_SOURCES).optional().describe('Who said it; `api` when absent.'),
    evaluator: requiredName(NAME_CHARS_MAX)
      .optional()
      .describe('Slug of the evaluator whose verdict it can be held against.'),
    actor: requiredName(NAME_CHARS_MAX).optional().describe('Who it was.'),
  })
  .superRefine((score, context) => {
    const fault = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message })
    if (score.trace_id === undefined && score.session_id === undefined)
      fault('trace_id', 'is required where there is no session_id')
    if (score.trace_id !== undefined && score.session_id !== undefined)
      fault('session_id', 'must not be given together with trace_id')
    if (score.span_id !== undefined && score.trace_id === undefined)
      fault('trace_id', 'is required together with span_id')
  })
  .meta({ id: 'ScoreInput' })

export const createScoreRoute = defineRoute({
  method: 'POST',
  path: '/v2/scores',
  operationId: 'createScore',
  tag: 'Scores',
  summary: 'Annotate a trace, a span or a session',
  description:
    'Adds an annotation by a person or a program, which is shown beside the results of monitors. Its subject need not have ' +
    'arrived yet. A second annotation is kept beside the first, and the newer one counts.',
  access: ['write', 'ingest'],
  body: scoreInput,
  success: { status: 201, description: 'The annotation.', schema: scoreOutput },
  async handle({ principal, body }, { storage, clock }) {
    const { evaluator } = body
    if (evaluator !== undefined) {
      const known = await loadKnownEvaluators(storage, principal, [evaluator])
      if (!known.find(evaluator)) throw invalidInput(`evaluator: unknown evaluator slug ${evaluator}`)
    }
    const [stored] = await storage.addAnnotations(principal, [toAnnotation(body)], clock.nowMs())
    if (!stored) throw new Error('an annotation was not stored')
    return toWireScore(stored, () => principal.environment)
  },
})

function toAnnotation(body: z.output<typeof scoreInput>): Annotation {
  return {
    ...defined({ traceId: body.trace_id, spanId: body.span_id, sessionId: body.session_id }),
    name: body.name,
    value: body.value,
    ...defined({ comment: body.comment }),
    source: body.source ?? 'api',
    ...defined({ evaluator: body.evaluator, actor: body.actor }),
  }
}

const scoresQuery = z
  .object({
    trace_id: hexParam(16).optional(),
    span_id: hexParam(8).optional(),
    session_id: spanName().optional(),
    name: boundedText().optional(),
    source: z.enum(ANNOTATION_SOURCES).optional(),
    evaluator: boundedText().optional(),
    task: boundedText().optional().describe('An annotation task.'),
    from: timeParam().optional().describe('Arrived at or after: ISO 8601 with a zone, or Unix seconds.'),
    to: timeParam().optional().describe('Arrived before: ISO 8601 with a zone, or Unix seconds.'),
    limit: pageLimit(LIMIT_MAX)
      .optional()
      .describe(`Most annotations of a page; ${LIMIT_DEFAULT} when absent.`),
    cursor: cursorParam(CURSOR).optional(),
  })
  .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to))

export const listScoresRoute = defineRoute({
  method: 'GET',
  path: '/v2/scores',
  operationId: 'listScores',
  tag: 'Scores',
  summary: 'List annotations',
  description:
    'What people and other programs said (a `score` on the wire), newest first. A page may hold fewer than asked for and still have a ' +
    '`next_cursor`: only so many are looked at for one page.',
  access: 'read',
  query: scoresQuery,
  success: {
    status: 200,
    description: 'A page of annotations.',
    schema: z.object({
      scores: z.array(scoreOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage }) {
    const { annotations, nextAfter } = await storage.listAnnotations(principal, toFilter(query), {
      limit: query.limit ?? LIMIT_DEFAULT,
      ...defined({ afterNumber: query.cursor }),
    })
    const { slugOf } = await readEnvironments(storage, principal)
    return {
      scores: annotations.map((annotation) => toWireScore(annotation, slugOf)),
      ...(nextAfter === undefined ? {} : { next_cursor: toCursor(CURSOR, nextAfter) }),
    }
  },
})

function toFilter(query: z.output<typeof scoresQuery>): AnnotationFilter {
  return {
    ...defined({
      traceId: query.trace_id,
      spanId: query.span_id,
      sessionId: query.session_id,
      name: query.name,
      source: query.source,
      evaluator: query.evaluator,
      task: query.task,
      fromMs: query.from,
      toMs: query.to,
    }),
  }
}
