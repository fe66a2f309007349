import * as z from 'zod'
import type { ProjectTenant } from '../../../domain/tenant.ts'
import { defined } from '../../../lib/defined.ts'
import type { StoredEvaluation } from '../../../ports/result-storage.ts'
import { previewEvaluations } from '../../../query/preview-evaluations.ts'
import { RANKED_MAX, rankEvaluations } from '../../../query/rank-evaluations.ts'
import type { PreviewSource } from '../../../query/show-previews.ts'
import { defineRoute } from '../../route.ts'
import { cursorParam, toCursor } from '../../wire/cursor.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { includeParam, previewField } from '../../wire/preview-wire.ts'
import { checkEvaluationFilter, evaluationFilterFields, toEvaluationFilter } from './evaluation-filter.ts'
import { evaluationOutput, toWireEvaluation } from './evaluation-wire.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 50
const CURSOR = 'evaluations'
const ORDERS = ['newest', 'worst', 'best'] as const

/** An evaluation in this list, with its preview where one is asked for. */
const listedEvaluation = z.object({ ...evaluationOutput.shape, ...previewField }).meta({ id: 'Evaluation' })

const listQuery = z
  .object({
    ...evaluationFilterFields,
    limit: pageLimit(LIMIT_MAX)
      .optional()
      .describe(`Largest number of results; ${LIMIT_DEFAULT} when absent.`),
    cursor: cursorParam(CURSOR).optional(),
    include: includeParam,
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
    const filter = toEvaluationFilter(query)
    const { limit = LIMIT_DEFAULT, order = 'newest' } = query
    const toWire = (evaluations: readonly StoredEvaluation[]) =>
      query.include === undefined
        ? evaluations.map(toWireEvaluation)
        : toWireWithPreviews(storage, principal, evaluations)
    if (order !== 'newest') {
      const { evaluations, sampled } = await rankEvaluations(storage, principal, filter, { order, limit })
      return { evaluations: await toWire(evaluations), evaluations_sampled: sampled }
    }
    const { evaluations, nextAfter } = await storage.listEvaluations(principal, filter, {
      order,
      limit,
      ...defined({ afterNumber: query.cursor }),
    })
    return {
      evaluations: await toWire(evaluations),
      ...(nextAfter === undefined ? {} : { next_cursor: toCursor(CURSOR, nextAfter) }),
    }
  },
})

async function toWireWithPreviews(
  storage: PreviewSource,
  tenant: ProjectTenant,
  evaluations: readonly StoredEvaluation[],
): Promise<z.output<typeof listedEvaluation>[]> {
  const previews = await previewEvaluations(storage, tenant, evaluations)
  return evaluations.map((found, at) => ({ ...toWireEvaluation(found), preview: { ...previews[at] } }))
}
