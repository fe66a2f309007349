import { notFound } from '../domain/errors.ts'
import { REVIEW_QUEUES_MAX, REVIEWERS_MAX, type ReviewAnswer } from '../domain/review.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { invalidInput, PublicError } from '../lib/public-error.ts'
import type { NewReviewQueue, ReviewItem, ReviewQueue } from '../ports/review-storage.ts'
import type { ControlDeps } from './setups.ts'

/** Stores a queue; `queue` has the sample that was drawn for it. */
export async function createReviewQueue(
  { storage, clock }: ControlDeps,
  tenant: ProjectTenant,
  queue: NewReviewQueue,
): Promise<ReviewQueue> {
  if (queue.evaluations.length === 0)
    throw invalidInput('filter: matches no evaluation whose verdict passes or fails')
  const made = await storage.createReviewQueue(tenant, queue, clock.nowMs(), REVIEW_QUEUES_MAX)
  if (made === 'full')
    throw new PublicError(
      'limit_reached',
      `the project has ${REVIEW_QUEUES_MAX} review queues, which is the limit; delete one first`,
    )
  return made
}

/** The queue of that id, or a `not found` error. */
export async function getReviewQueue(
  { storage }: ControlDeps,
  tenant: ProjectTenant,
  id: string,
): Promise<ReviewQueue> {
  const queue = await storage.getReviewQueue(tenant, id)
  if (!queue) throw notFound('review queue not found')
  return queue
}

/** Keeps an answer in place of the reviewer's answer before. */
export async function answerReviewItem(
  deps: ControlDeps,
  tenant: ProjectTenant,
  place: { readonly id: string; readonly evaluationNumber: number },
  answer: ReviewAnswer,
): Promise<ReviewItem> {
  const { reviewers } = await getReviewQueue(deps, tenant, place.id)
  if (reviewers.length > 0 && !reviewers.includes(answer.reviewer))
    throw invalidInput(`reviewer: the queue is for ${reviewers.join(', ')}`)
  const { storage, clock } = deps
  const item = await storage.putReviewAnswer(tenant, place, answer, clock.nowMs(), REVIEWERS_MAX)
  if (item === 'full')
    throw new PublicError(
      'limit_reached',
      `${REVIEWERS_MAX} other people have answered, which is the limit of a queue`,
    )
  if (!item) throw notFound('review item not found')
  return item
}
