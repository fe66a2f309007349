import * as z from 'zod'
import { defineRoute } from '../route.ts'
import { cursorParam, toCursor } from '../wire/cursor.ts'
import {
  checkEvaluationFilter,
  evaluationFilterFields,
  toEvaluationFilter,
} from '../wire/evaluation-filter.ts'
import { evaluationOutput, toWireEvaluation } from '../wire/evaluation-wire.ts'
import { pageLimit } from '../wire/page-limit.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 50
const CURSOR = 'evaluations'

const listQuery = z
  .object({
    ...evaluationFilterFields,
    limit: pageLimit(LIMIT_MAX)
      .optional()
      .describe(`Largest number of results; ${LIMIT_DEFAULT} when absent.`),
    cursor: cursorParam(CURSOR).optional(),
  })
  .superRefine(checkEvaluationFilter)

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
    const { evaluations, nextAfter } = await storage.listEvaluations(principal, toEvaluationFilter(query), {
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
