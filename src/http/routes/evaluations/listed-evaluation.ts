import * as z from 'zod'
import { answerIn, REVIEWED_VERDICTS, reviewKey, reviewKeyOf } from '../../../domain/review.ts'
import type { ProjectTenant } from '../../../domain/tenant.ts'
import { REASON_CHARS_MAX, reasonOf } from '../../../domain/verdict-reason.ts'
import { defined } from '../../../lib/defined.ts'
import type { StoredAnnotation } from '../../../ports/annotation-storage.ts'
import type { StoredEvaluation } from '../../../ports/result-storage.ts'
import type { Storage } from '../../../ports/storage.ts'
import { previewEvaluations } from '../../../query/preview-evaluations.ts'
import { previewField } from '../../wire/preview-wire.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { evaluationOutput, toEvaluationId, toWireEvaluation } from './evaluation-wire.ts'
import type { IncludedPart } from './include-param.ts'

/** Most annotations that are read for the reviews of one page, and most reviews of one evaluation. */
const ANNOTATIONS_MAX = 5_000
const REVIEWS_MAX = 20

/** The verdict of a person on an evaluation. */
export const reviewOutput = z
  .object({
    id: z.string().describe('Of the annotation (`score` on the wire) that it is kept as.'),
    reviewer: z.string().describe('The name that the reviewer gave; empty when none was given.'),
    verdict: z.enum(REVIEWED_VERDICTS).describe('The verdict that the reviewer finds right.'),
    comment: z.string().optional(),
    created_at: timestamp,
  })
  .meta({ id: 'Review' })

const LINE = `One line of at most ${REASON_CHARS_MAX} characters.`

/** An evaluation in a list, with the parts that were asked for. */
export const listedEvaluation = z
  .object({
    ...evaluationOutput.shape,
    ...previewField,
    reason: z
      .object({
        claim: z.string().optional().describe(`The first item that the judge did not accept. ${LINE}`),
        text: z
          .string()
          .optional()
          .describe(
            `The words of the evaluator or its judge, or the message where nothing was scored. ${LINE}`,
          ),
        rule: z
          .string()
          .optional()
          .describe(`For failures: the condition of the verdict rule that is not met. ${LINE}`),
      })
      .optional()
      .describe('Present with `include=reason` where something tells why.'),
    reviews: z
      .array(reviewOutput)
      .optional()
      .describe(
        `Present with \`include=reviews\`: the newest review of each person, at most ${REVIEWS_MAX}, the newest first. Answers in ` +
          'review queues are not in it.',
      ),
  })
  .meta({ id: 'ListedEvaluation' })

export type ListedEvaluation = z.output<typeof listedEvaluation>

/** Evaluations in the form of the wire, with the parts that were asked for. */
export async function toListed(
  storage: Storage,
  tenant: ProjectTenant,
  evaluations: readonly StoredEvaluation[],
  include: ReadonlySet<IncludedPart> = new Set(),
): Promise<ListedEvaluation[]> {
  const previews = include.has('preview') ? await previewEvaluations(storage, tenant, evaluations) : undefined
  const reviews = include.has('reviews') ? await readReviews(storage, tenant, evaluations) : undefined
  return evaluations.map((evaluation, at) => ({
    ...toWireEvaluation(evaluation),
    ...(previews ? { preview: { ...previews[at] } } : {}),
    ...(include.has('reason') ? defined({ reason: reasonOf(evaluation) }) : {}),
    ...(reviews ? { reviews: reviews.get(reviewKeyOf(evaluation)) ?? [] } : {}),
  }))
}

async function readReviews(
  storage: Storage,
  tenant: ProjectTenant,
  evaluations: readonly StoredEvaluation[],
): Promise<Map<string, z.output<typeof reviewOutput>[]>> {
  const isOfSession = ({ scope, sessionId }: StoredEvaluation) =>
    scope === 'session' && sessionId !== undefined
  const about = {
    traceIds: [...new Set(evaluations.filter((each) => !isOfSession(each)).map(({ traceId }) => traceId))],
    sessionIds: [...new Set(evaluations.filter(isOfSession).flatMap(({ sessionId }) => sessionId ?? []))],
  }
  const annotations = await storage.listAnnotationsOf(tenant, about, ANNOTATIONS_MAX)
  const reviews = new Map<string, z.output<typeof reviewOutput>[]>()
  for (const annotation of annotations) {
    const review = annotation.task === undefined ? toWireReview(annotation) : undefined
    if (!review) continue
    const key = reviewKey(annotation)
    const known = reviews.get(key) ?? []
    const isNews = known.length < REVIEWS_MAX && !known.some(({ reviewer }) => reviewer === review.reviewer)
    if (isNews) reviews.set(key, [...known, review])
  }
  return reviews
}

/** A review in the form of the wire; undefined for an annotation that is none. */
export function toWireReview(annotation: StoredAnnotation): z.output<typeof reviewOutput> | undefined {
  const answer = answerIn(annotation)
  if (!answer) return undefined
  return {
    id: toEvaluationId(annotation.number),
    ...answer,
    created_at: toTimestamp(annotation.createdAtMs),
  }
}
