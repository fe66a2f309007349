import type { ReviewAnswer } from '../domain/review.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import type { Verdict } from '../domain/verdict.ts'
import type { StoredAnnotation } from './annotation-storage.ts'
import type { StoredEvaluation } from './result-storage.ts'

/** A review queue that is to be stored, with the evaluations in it, in the order of their review. */
export interface NewReviewQueue {
  readonly id: string
  readonly name: string
  /** The parameters of the list that the sample was drawn from, as they stand in an address. */
  readonly filter: Readonly<Record<string, string>>
  /** Empty: anybody. */
  readonly reviewers: readonly string[]
  /** How many evaluations were asked for. */
  readonly sampleSize: number
  /** Decides, together with the evaluations that match, which of them are drawn. */
  readonly seed: string
  /** How many evaluations were drawn from. */
  readonly drawnFrom: number
  /** There were no more that match. */
  readonly isWhole: boolean
  readonly evaluations: readonly Pick<StoredEvaluation, 'number' | 'unitAtMs'>[]
}

/** A review queue. */
export interface ReviewQueue extends Omit<NewReviewQueue, 'evaluations'> {
  /** Grows in the order of creation. */
  readonly number: number
  readonly createdAtMs: number
}

/** An answer and the annotation that it is. */
export interface StoredAnswer extends ReviewAnswer {
  readonly annotation: StoredAnnotation
}

/** An evaluation of a queue. */
export interface ReviewItem {
  readonly place: number
  readonly evaluation: StoredEvaluation
  /** One of each reviewer, the newest first. */
  readonly answers: readonly StoredAnswer[]
}

/** A page of items, in the order of their review. */
export interface ReviewItemPage {
  readonly items: readonly ReviewItem[]
  /** The place of the last one where there may be more behind it. */
  readonly nextAfter?: number
}

/** The verdict of the evaluator on an item, and the answers to it. */
export interface ReviewedItem {
  readonly place: number
  readonly verdict?: Verdict
  readonly answers: readonly ReviewAnswer[]
}

/**
 * Review queues. An answer is nothing but an annotation whose task is the id of the queue, so that the two cannot disagree. An
 * item is there as long as its evaluation: it leaves every read when the trace is deleted or no longer kept.
 */
export interface ReviewStorage {
  /** `full` when the project has as many as it may have. */
  createReviewQueue(
    tenant: ProjectTenant,
    queue: NewReviewQueue,
    atMs: number,
    queuesMax: number,
  ): Promise<ReviewQueue | 'full'>
  /** The newest first. */
  listReviewQueues(
    tenant: ProjectTenant,
    range: { readonly beforeNumber?: number; readonly limit: number },
  ): Promise<ReviewQueue[]>
  getReviewQueue(tenant: ProjectTenant, id: string): Promise<ReviewQueue | undefined>
  /** False when there was none. The answers stay, as annotations. */
  deleteReviewQueue(tenant: ProjectTenant, id: string): Promise<boolean>
  /** Undefined when there is no such queue. With `unansweredBy` only items that this reviewer has not answered. */
  listReviewItems(
    tenant: ProjectTenant,
    id: string,
    range: { readonly afterPlace?: number; readonly limit: number; readonly unansweredBy?: string },
  ): Promise<ReviewItemPage | undefined>
  /** All items of a queue, without their evaluations. Undefined when there is no such queue. */
  readReviewedItems(tenant: ProjectTenant, id: string): Promise<ReviewedItem[] | undefined>
  /**
   * Keeps the answer of a reviewer in place of the one before. Two at once are kept one after the other. `full` when as many
   * other people as may have answered; undefined when the queue has no such item.
   */
  putReviewAnswer(
    tenant: ProjectTenant,
    place: { readonly id: string; readonly evaluationNumber: number },
    answer: ReviewAnswer,
    atMs: number,
    reviewersMax: number,
  ): Promise<ReviewItem | 'full' | undefined>
  /** Takes an answer back. False when there was none. */
  deleteReviewAnswer(
    tenant: ProjectTenant,
    place: { readonly id: string; readonly evaluationNumber: number },
    reviewer: string,
  ): Promise<boolean>
}
