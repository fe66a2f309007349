import * as z from 'zod'
import { answerReviewItem } from '../../../control/review-queues.ts'
import { notFound } from '../../../domain/errors.ts'
import { REVIEWED_VERDICTS, REVIEWERS_MAX } from '../../../domain/review.ts'
import { defined } from '../../../lib/defined.ts'
import type { ReviewItem } from '../../../ports/review-storage.ts'
import { defineRoute } from '../../route.ts'
import { cursorParam, toCursor } from '../../wire/cursor.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { flagParam } from '../../wire/query-params.ts'
import { boundedText, requiredName } from '../../wire/text-schemas.ts'
import { fromEvaluationId } from '../evaluations/evaluation-wire.ts'
import { includeParam } from '../evaluations/include-param.ts'
import { toListed } from '../evaluations/listed-evaluation.ts'
import {
  itemOutput,
  itemParams,
  NO_ITEM,
  NO_QUEUE,
  queueParams,
  REVIEWER_CHARS_MAX,
  TAG,
  toWireItem,
} from './review-wire.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
const CURSOR = 'review-items'

const itemsQuery = z
  .object({
    reviewer: requiredName(REVIEWER_CHARS_MAX)
      .optional()
      .describe('The person who asks. The answers of others are told once this person has answered.'),
    answered: flagParam().optional().describe('`false`: only items that the reviewer has not answered.'),
    include: includeParam().optional(),
    limit: pageLimit(LIMIT_MAX).optional().describe(`Largest number of items; ${LIMIT_DEFAULT} when absent.`),
    cursor: cursorParam(CURSOR).optional(),
  })
  .superRefine(({ answered, reviewer }, context) => {
    const fault = (message: string) => context.addIssue({ code: 'custom', path: ['answered'], message })
    if (answered === true) fault('must be false or absent')
    else if (answered === false && reviewer === undefined) fault('needs a reviewer')
  })

export const listReviewItemsRoute = defineRoute({
  method: 'GET',
  path: '/v2/review-queues/{id}/items',
  operationId: 'listReviewItems',
  tag: TAG,
  summary: 'List the evaluations of a review queue',
  description: 'In the order of their review.',
  access: 'read',
  params: queueParams,
  query: itemsQuery,
  success: {
    status: 200,
    description: 'A page of items.',
    schema: z.object({
      items: z.array(itemOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  errors: { 404: NO_QUEUE },
  async handle({ principal, params, query }, { storage }) {
    const { reviewer, answered, include, limit = LIMIT_DEFAULT, cursor } = query
    const page = await storage.listReviewItems(principal, params.id, {
      limit,
      ...defined({ afterPlace: cursor, unansweredBy: answered === false ? reviewer : undefined }),
    })
    if (!page) throw notFound('review queue not found')
    const listed = await toListed(
      storage,
      principal,
      page.items.map(({ evaluation }) => evaluation),
      include,
    )
    return {
      items: page.items.map((item, at) => toWireItem(item, listed[at] as (typeof listed)[number], reviewer)),
      ...(page.nextAfter === undefined ? {} : { next_cursor: toCursor(CURSOR, page.nextAfter) }),
    }
  },
})

const answerInput = z
  .object({
    reviewer: requiredName(REVIEWER_CHARS_MAX).describe('The person who answers.'),
    verdict: z.enum(REVIEWED_VERDICTS).describe('The verdict that this person finds right.'),
    comment: boundedText().optional(),
  })
  .meta({ id: 'ReviewAnswerInput' })

export const answerReviewItemRoute = defineRoute({
  method: 'PUT',
  path: '/v2/review-queues/{id}/items/{evaluation_id}/answer',
  operationId: 'answerReviewItem',
  tag: TAG,
  summary: 'Answer an item of a review queue',
  description:
    'Keeps the answer as an annotation of the evaluated span, trace or session, in place of the answer that this person gave before.',
  access: 'write',
  params: itemParams,
  body: answerInput,
  success: { status: 200, description: 'The item with the answers to it.', schema: itemOutput },
  errors: { 404: NO_ITEM, 403: `${REVIEWERS_MAX} other people have answered in the queue.` },
  async handle({ principal, params, body }, deps) {
    const { comment, ...answer } = body
    const given = { ...answer, ...(comment ? { comment } : {}) }
    const item: ReviewItem = await answerReviewItem(deps, principal, placeOf(params), given)
    const [evaluation] = await toListed(deps.storage, principal, [item.evaluation])
    if (!evaluation) throw new Error('an answered evaluation is gone')
    return toWireItem(item, evaluation, body.reviewer)
  },
})

export const withdrawReviewAnswerRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/review-queues/{id}/items/{evaluation_id}/answer',
  operationId: 'withdrawReviewAnswer',
  tag: TAG,
  summary: 'Withdraw an answer',
  access: 'write',
  params: itemParams,
  query: z.object({ reviewer: requiredName(REVIEWER_CHARS_MAX).describe('The person who answered.') }),
  success: { status: 204, description: 'The answer is gone.' },
  errors: { 404: 'There is no such answer.' },
  async handle({ principal, params, query }, { storage }) {
    if (!(await storage.deleteReviewAnswer(principal, placeOf(params), query.reviewer)))
      throw notFound('review answer not found')
  },
})

function placeOf({ id, evaluation_id: evaluationId }: z.output<typeof itemParams>) {
  const evaluationNumber = fromEvaluationId(evaluationId)
  if (evaluationNumber === undefined) throw notFound('review item not found')
  return { id, evaluationNumber }
}
