import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { RANKED_MAX } from '../../../query/rank-evaluations.ts'
import { searchEvaluations, searchRanked } from '../../../query/search-evaluations.ts'
import { defineRoute } from '../../route.ts'
import { cursorParam, toCursor } from '../../wire/cursor.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { checkEvaluationFilter, searchFields, toEvaluationFilter } from './evaluation-filter.ts'
import { includeParam } from './include-param.ts'
import { listedEvaluation, toListed } from './listed-evaluation.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 50
const CURSOR = 'evaluations'
const ORDERS = ['newest', 'worst', 'best'] as const

const listQuery = z
  .object({
    ...searchFields,
    include: includeParam().optional(),
    limit: pageLimit(LIMIT_MAX)
      .optional()
      .describe(`Largest number of results; ${LIMIT_DEFAULT} when absent.`),
    cursor: cursorParam(CURSOR).optional(),
    order: z
      .enum(ORDERS)
      .optional()
      .describe(
        `Absent: \`newest\`. \`worst\` and \`best\` sort the newest ${RANKED_MAX} results that the filters leave, scored ones ` +
          'unless a `status` is given: what fails is worse than what passes, and within both the deciding number or boolean ' +
          'decides, in the direction of the rule.',
      ),
  })
  .superRefine((query, context) => {
    checkEvaluationFilter(query, context)
    if (query.cursor === undefined || query.order === undefined || query.order === 'newest') return
    const message = `must be absent with the order ${query.order}, which has no pages`
    context.addIssue({ code: 'custom', path: ['cursor'], message })
  })

export const listEvaluationsRoute = defineRoute({
  method: 'GET',
  path: '/v2/evaluations',
  operationId: 'listEvaluations',
  tag: 'Results',
  summary: 'List results',
  description:
    'What came of evaluating spans, newest first where no other order is asked for; what is recorded meanwhile does not shift the pages. A page may hold ' +
    'fewer results than asked for, or none, and still have a `next_cursor`: only so many are looked at for one page.',
  access: 'read',
  query: listQuery,
  success: {
    status: 200,
    description: 'A page of results.',
    schema: z.object({
      evaluations: z.array(listedEvaluation),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
      evaluations_sampled: z
        .int()
        .optional()
        .describe('With `worst` and `best`: among how many results they are.'),
    }),
  },
  async handle({ principal, query }, { storage }) {
    const { limit = LIMIT_DEFAULT, order = 'newest', q, cursor, include } = query
    const search = { filter: toEvaluationFilter(query), limit, ...defined({ text: q }) }
    if (order !== 'newest') {
      const { evaluations, sampled } = await searchRanked(storage, principal, search, order)
      return {
        evaluations: await toListed(storage, principal, evaluations, include),
        evaluations_sampled: sampled,
      }
    }
    const { evaluations, nextAfter } = await searchEvaluations(storage, principal, search, cursor)
    return {
      evaluations: await toListed(storage, principal, evaluations, include),
      ...(nextAfter === undefined ? {} : { next_cursor: toCursor(CURSOR, nextAfter) }),
    }
  },
})
