/** Reviews: people say of an evaluation whether its verdict is right, in the inbox or in a review queue. */

import type { Annotation } from './annotation.ts'
import type { EvaluationScope } from './evaluator.ts'
import { VERDICT_PROPERTY } from './verdict.ts'

/** Most evaluations in one review queue. */
export const REVIEW_ITEMS_MAX = 1_000
/** Most people who answer in one review queue. */
export const REVIEWERS_MAX = 20
/** Most review queues of one project. */
export const REVIEW_QUEUES_MAX = 200

/** The verdicts that a reviewer can find right. Neutral ones judge nothing, so there is nothing to agree with. */
export const REVIEWED_VERDICTS = ['pass', 'fail'] as const
export type ReviewedVerdict = (typeof REVIEWED_VERDICTS)[number]

/** A reviewer's answer to one evaluation. */
export interface ReviewAnswer {
  readonly reviewer: string
  /** The verdict that the reviewer finds right, whatever the evaluator said. */
  readonly verdict: ReviewedVerdict
  readonly comment?: string
}

/** The unit and the evaluator that a review is about. */
export interface ReviewedUnit {
  readonly scope: EvaluationScope
  readonly traceId: string
  readonly spanId?: string
  readonly sessionId?: string
  readonly slug: string
}

/**
 * The annotation that an answer is kept as: about the same unit, naming the evaluator, under the name that no output has. True
 * is a pass.
 */
export function annotationOf(unit: ReviewedUnit, answer: ReviewAnswer, task?: string): Annotation {
  return {
    ...aboutOf(unit),
    name: VERDICT_PROPERTY,
    value: answer.verdict === 'pass',
    ...(answer.comment === undefined ? {} : { comment: answer.comment }),
    source: 'human',
    evaluator: unit.slug,
    ...(task === undefined ? {} : { task }),
    actor: answer.reviewer,
  }
}

function aboutOf({
  scope,
  traceId,
  spanId,
  sessionId,
}: ReviewedUnit): Pick<Annotation, 'traceId' | 'spanId' | 'sessionId'> {
  if (scope === 'session' && sessionId !== undefined) return { sessionId }
  return { traceId, ...(spanId === undefined ? {} : { spanId }) }
}

/** The same text for an evaluation and for the annotations that review it. */
export function reviewKey({ traceId, spanId, sessionId, evaluator }: Annotation): string {
  return JSON.stringify(traceId === undefined ? [sessionId, evaluator] : [traceId, spanId ?? '', evaluator])
}

/** The key of the annotations that review a unit. */
export function reviewKeyOf(unit: ReviewedUnit): string {
  return reviewKey({ ...aboutOf(unit), evaluator: unit.slug, name: '', value: true, source: 'human' })
}

/** The answer in an annotation; undefined for one that is no review. */
export function answerIn({ name, value, source, actor, comment }: Annotation): ReviewAnswer | undefined {
  if (name !== VERDICT_PROPERTY || source !== 'human' || typeof value !== 'boolean') return undefined
  return {
    reviewer: actor ?? '',
    verdict: value ? 'pass' : 'fail',
    ...(comment === undefined ? {} : { comment }),
  }
}
