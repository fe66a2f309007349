import * as z from 'zod'
import { getReviewQueue } from '../../../control/review-queues.ts'
import { notFound } from '../../../domain/errors.ts'
import { defined } from '../../../lib/defined.ts'
import { reviewProgress } from '../../../query/review-progress.ts'
import { defineRoute } from '../../route.ts'
import { cursorParam, toCursor } from '../../wire/cursor.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import {
  NO_QUEUE,
  queueDetailOutput,
  queueOutput,
  queueParams,
  TAG,
  toWireQueue,
  toWireQueueDetail,
} from './review-wire.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
const CURSOR = 'review-queues'

export const listReviewQueuesRoute = defineRoute({
  method: 'GET',
  path: '/v2/review-queues',
  operationId: 'listReviewQueues',
  tag: TAG,
  summary: 'List review queues',
  description: 'The newest first.',
  access: 'read',
  query: z.object({
    limit: pageLimit(LIMIT_MAX)
      .optional()
      .describe(`Largest number of queues; ${LIMIT_DEFAULT} when absent.`),
    cursor: cursorParam(CURSOR).optional(),
  }),
  success: {
    status: 200,
    description: 'A page of review queues.',
    schema: z.object({
      review_queues: z.array(queueOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage }) {
    const limit = query.limit ?? LIMIT_DEFAULT
    // One more than asked for tells whether there is a next page.
    const queues = await storage.listReviewQueues(principal, {
      limit: limit + 1,
      ...defined({ beforeNumber: query.cursor }),
    })
    const page = queues.slice(0, limit)
    const last = page.at(-1)
    return {
      review_queues: page.map(toWireQueue),
      ...(queues.length > limit && last ? { next_cursor: toCursor(CURSOR, last.number) } : {}),
    }
  },
})

export const getReviewQueueRoute = defineRoute({
  method: 'GET',
  path: '/v2/review-queues/{id}',
  operationId: 'getReviewQueue',
  tag: TAG,
  summary: 'Read a review queue and its progress',
  description:
    'With the answers of each person, and how far people agree with the evaluators and with each other. Evaluations of deleted ' +
    'traces and those that are no longer kept have left the queue.',
  access: 'read',
  params: queueParams,
  success: { status: 200, description: 'The review queue.', schema: queueDetailOutput },
  errors: { 404: NO_QUEUE },
  async handle({ principal, params }, deps) {
    const queue = await getReviewQueue(deps, principal, params.id)
    const items = await deps.storage.readReviewedItems(principal, params.id)
    if (!items) throw notFound('review queue not found')
    return toWireQueueDetail(queue, reviewProgress(items, queue.reviewers))
  },
})

export const deleteReviewQueueRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/review-queues/{id}',
  operationId: 'deleteReviewQueue',
  tag: TAG,
  summary: 'Delete a review queue',
  description: 'The answers stay, as annotations (`GET /v2/scores?task=`).',
  access: 'write',
  params: queueParams,
  success: { status: 204, description: 'The review queue is gone.' },
  errors: { 404: NO_QUEUE },
  async handle({ principal, params }, { storage }) {
    if (!(await storage.deleteReviewQueue(principal, params.id))) throw notFound('review queue not found')
  },
})
