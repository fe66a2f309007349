import * as z from 'zod'
import { PAIRS_MIN } from '../../../domain/agreement.ts'
import { defined } from '../../../lib/defined.ts'
import type { ReviewItem, ReviewQueue } from '../../../ports/review-storage.ts'
import type { ReviewProgress, SidesAgreement } from '../../../query/review-progress.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import {
  type ListedEvaluation,
  listedEvaluation,
  reviewOutput,
  toWireReview,
} from '../evaluations/listed-evaluation.ts'

export const TAG = 'Reviews'
export const NO_QUEUE = 'The project has no such review queue.'
export const NO_ITEM = 'The project has no such review queue, or the queue no such item.'
export const REVIEWER_CHARS_MAX = 255

/** Path of one review queue. */
export const queueParams = z.object({ id: z.string().describe('Id of the review queue.') })

/** Path of one item of a queue. */
export const itemParams = z.object({
  id: z.string().describe('Id of the review queue.'),
  evaluation_id: z.string().describe('Id of the evaluation, 16 hex digits.'),
})

const queueFields = {
  id: z.string(),
  name: z.string(),
  filter: z
    .record(z.string(), z.string())
    .describe('The parameters of `GET /v2/evaluations` that the sample was drawn from.'),
  reviewers: z.array(z.string()).describe('The people it is for; empty: anybody.'),
  sample_size: z.int().describe('How many evaluations were asked for.'),
  seed: z.string().describe('The same seed draws the same evaluations from the same ones.'),
  drawn_from: z.int().describe('How many evaluations the sample was drawn from.'),
  drawn_from_all: z
    .boolean()
    .describe('Whether these are all that matched; otherwise they are the newest of them.'),
  created_at: timestamp,
}

/** A review queue in a list. */
export const queueOutput = z.object(queueFields).meta({ id: 'ReviewQueue' })

const agreementOutput = z
  .object({
    pairs: z.int().describe('How many answers are compared.'),
    agreement: z.number().optional().describe('Share of pairs that are equal.'),
    kappa: z
      .number()
      .optional()
      .describe("Cohen's kappa: 0 is chance, 1 is perfect; absent where both always said the same."),
    unavailable: z.string().optional().describe('Why nothing was computed.'),
  })
  .meta({ id: 'ReviewAgreement' })

/** A review queue with its progress. */
export const queueDetailOutput = z
  .object({
    ...queueFields,
    items: z.int().describe('Evaluations in it that are still kept.'),
    reviewed: z.int().describe('Items that at least one person has answered.'),
    progress: z
      .array(z.object({ reviewer: z.string(), answered: z.int(), with_evaluator: agreementOutput }))
      .describe('Those whom the queue is for first, then others who answered.'),
    with_evaluator: agreementOutput.describe(
      'The answers of all people against the verdicts of the evaluators.',
    ),
    between: z
      .array(z.object({ reviewers: z.array(z.string()), ...agreementOutput.shape }))
      .describe('Every two people who have answered the same items.'),
  })
  .meta({ id: 'ReviewQueueDetail' })

/** An evaluation in a queue, as one reviewer may see it. */
export const itemOutput = z
  .object({
    place: z.int().describe('In the order of the review, from 0.'),
    evaluation: listedEvaluation,
    answer: reviewOutput.optional().describe('The answer of the reviewer who asks.'),
    other_answers: z
      .array(reviewOutput)
      .optional()
      .describe('Absent until the reviewer who asks has answered: people answer without seeing each other.'),
  })
  .meta({ id: 'ReviewItem' })

/** A queue in the form of the wire. */
export function toWireQueue(queue: ReviewQueue): z.output<typeof queueOutput> {
  return {
    id: queue.id,
    name: queue.name,
    filter: { ...queue.filter },
    reviewers: [...queue.reviewers],
    sample_size: queue.sampleSize,
    seed: queue.seed,
    drawn_from: queue.drawnFrom,
    drawn_from_all: queue.isWhole,
    created_at: toTimestamp(queue.createdAtMs),
  }
}

/** A queue with its progress in the form of the wire. */
export function toWireQueueDetail(
  queue: ReviewQueue,
  progress: ReviewProgress,
): z.output<typeof queueDetailOutput> {
  return {
    ...toWireQueue(queue),
    items: progress.items,
    reviewed: progress.reviewed,
    progress: progress.reviewers.map(({ reviewer, answered, withEvaluator }) => ({
      reviewer,
      answered,
      with_evaluator: toWireAgreement(withEvaluator),
    })),
    with_evaluator: toWireAgreement(progress.withEvaluator),
    between: progress.between.map(({ reviewers, ...sides }) => ({
      reviewers: [...reviewers],
      ...toWireAgreement(sides),
    })),
  }
}

function toWireAgreement({ pairs, agreement }: SidesAgreement): z.output<typeof agreementOutput> {
  if (!agreement) return { pairs, unavailable: `at least ${PAIRS_MIN} pairs are needed, there are ${pairs}` }
  return { pairs, ...defined({ agreement: agreement.share, kappa: agreement.kappa }) }
}

/** An item as a reviewer sees it: the answers of others only beside one of their own. Without a reviewer all answers are told. */
export function toWireItem(
  { place, answers }: ReviewItem,
  evaluation: ListedEvaluation,
  reviewer: string | undefined,
): z.output<typeof itemOutput> {
  const told = answers.map((answer) => ({ by: answer.reviewer, review: toWireReview(answer.annotation) }))
  const own = told.find(({ by }) => by === reviewer)?.review
  const others = told.filter(({ by }) => by !== reviewer).flatMap(({ review }) => review ?? [])
  const isOpen = reviewer === undefined || own !== undefined
  return { place, evaluation, ...defined({ answer: own }), ...(isOpen ? { other_answers: others } : {}) }
}
