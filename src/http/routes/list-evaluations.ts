import * as z from 'zod'
import { EVALUATION_STATUSES } from '../../domain/evaluation.ts'
import type { EvaluationFilter } from '../../ports/result-storage.ts'
import { defineRoute } from '../route.ts'
import { cursorParam, toCursor } from '../wire/cursor.ts'
import { evaluationOutput, toWireEvaluation } from '../wire/evaluation-wire.ts'
import { pageLimit } from '../wire/page-limit.ts'
import { checkOrder, flagParam, hexParam, numberParam, timeParam } from '../wire/query-params.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 50
const CURSOR = 'evaluations'

const listQuery = z
  .object({
    external_id: z.string().optional().describe('Only results of this setup.'),
    monitor_id: z.string().optional().describe('Only results of this monitor.'),
    evaluator_type: z.string().optional().describe('Only results of this evaluator slug.'),
    status: z
      .enum(EVALUATION_STATUSES)
      .optional()
      .describe('`sampled_out` and `cancelled` units are only counted, so these two find nothing.'),
    min_value: numberParam().optional().describe('Smallest first numeric or boolean output; true is 1.'),
    max_value: numberParam().optional().describe('Largest first numeric or boolean output.'),
    from: timeParam().optional().describe('Recorded at or after: ISO 8601 with a zone, or Unix seconds.'),
    to: timeParam().optional().describe('Recorded before: ISO 8601 with a zone, or Unix seconds.'),
    trace_id: hexParam(16).optional(),
    span_id: hexParam(8).optional(),
    history: flagParam().optional().describe('`true` shows superseded generations, too.'),
    limit: pageLimit(LIMIT_MAX)
      .optional()
      .describe(`Largest number of results; ${LIMIT_DEFAULT} when absent.`),
    cursor: cursorParam(CURSOR).optional(),
  })
  .superRefine((query, context) => {
    checkOrder(context, ['from', 'to'], query.from, query.to)
    checkOrder(context, ['min_value', 'max_value'], query.min_value, query.max_value, true)
  })

export const listEvaluationsRoute = defineRoute({
  method: 'GET',
  path: '/v2/evaluations',
  operationId: 'listEvaluations',
  tag: 'Results',
  summary: 'List results',
  description:
    'What came of evaluating spans, newest first; what is recorded meanwhile does not shift the pages. A page may hold ' +
    'fewer results than asked for, or none, and still have a `next_cursor`: only so many are looked at for one page.',
  access: 'read',
  query: listQuery,
  success: {
    status: 200,
    description: 'A page of results.',
    schema: z.object({
      evaluations: z.array(evaluationOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage }) {
    const { evaluations, nextAfter } = await storage.listEvaluations(principal, toFilter(query), {
      order: 'newest',
      limit: query.limit ?? LIMIT_DEFAULT,
      ...(query.cursor === undefined ? {} : { afterNumber: query.cursor }),
    })
    return {
      evaluations: evaluations.map(toWireEvaluation),
      ...(nextAfter === undefined ? {} : { next_cursor: toCursor(CURSOR, nextAfter) }),
    }
  },
})

function toFilter(query: z.output<typeof listQuery>): EvaluationFilter {
  return {
    ...(query.external_id === undefined ? {} : { externalId: query.external_id }),
    ...(query.monitor_id === undefined ? {} : { monitorId: query.monitor_id }),
    ...(query.evaluator_type === undefined ? {} : { slug: query.evaluator_type }),
    ...(query.status === undefined ? {} : { status: query.status }),
    ...(query.min_value === undefined ? {} : { minValue: query.min_value }),
    ...(query.max_value === undefined ? {} : { maxValue: query.max_value }),
    ...(query.from === undefined ? {} : { fromMs: query.from }),
    ...(query.to === undefined ? {} : { toMs: query.to }),
    ...(query.trace_id === undefined ? {} : { traceId: query.trace_id }),
    ...(query.span_id === undefined ? {} : { spanId: query.span_id }),
    ...(query.history === undefined ? {} : { withHistory: query.history }),
  }
}
