import type { EvaluationScope } from '../../domain/evaluator.ts'
import { answerIn, type ReviewedUnit, reviewKey, reviewKeyOf } from '../../domain/review.ts'
import type { ReviewQueue, StoredAnswer } from '../../ports/review-storage.ts'
import { type AnnotationRow, toAnnotation } from './annotation-rows.ts'
import { SPAN_ID_BYTES } from './evaluation-rows.ts'
import { notDeleted } from './not-deleted.ts'
import { toHex } from './span-rows.ts'

/** A row of `review_queues`. */
export interface QueueRow {
  number: number
  id: string
  name: string
  filter: string
  reviewers: string
  sample_size: number
  seed: string
  drawn_from: number
  is_whole: number
  created_at_ms: number
}

/** A queue as it is told. */
export function toQueue(row: QueueRow): ReviewQueue {
  return {
    number: row.number,
    id: row.id,
    name: row.name,
    filter: JSON.parse(row.filter),
    reviewers: JSON.parse(row.reviewers),
    sampleSize: row.sample_size,
    seed: row.seed,
    drawnFrom: row.drawn_from,
    isWhole: row.is_whole === 1,
    createdAtMs: row.created_at_ms,
  }
}

/** An item with what tells its answers from those of others. */
export interface ItemRow {
  place: number
  number: number
  unit_at_ms: number
  verdict: number | null
  trace_id: Uint8Array
  span_id: Uint8Array
  session_id: string | null
  slug: string
  scope: EvaluationScope
  env_project_id: string
}

/** The items of the queue $2 of the project $1 whose evaluations are there. */
export const SELECT_ITEMS = `SELECT i.place, e.number, e.unit_at_ms, e.verdict, e.trace_id, e.span_id, e.session_id,
    m.slug, v.scope, s.env_project_id
  FROM review_items i
  JOIN evaluations e ON e.number = i.evaluation_number AND e.unit_at_ms = i.unit_at_ms AND e.project_number = i.project_number
  JOIN monitor_versions v ON v.number = e.monitor_version
  JOIN monitors m ON m.number = v.monitor_number
  JOIN setups s ON s.id = m.setup_id
  WHERE i.project_number = $1 AND i.queue_number = $2 AND ${notDeleted('e')}`

/** The unit of an item. */
export function unitOf(row: ItemRow): ReviewedUnit {
  return {
    scope: row.scope,
    traceId: toHex(row.trace_id),
    ...(row.span_id.length === SPAN_ID_BYTES ? { spanId: toHex(row.span_id) } : {}),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    slug: row.slug,
  }
}

/** The answers among annotations, the newest of each reviewer, by what they are about. */
export class AnswersByUnit {
  readonly #answers = new Map<string, StoredAnswer[]>()
  readonly reviewers: ReadonlySet<string>

  /** The newest first. */
  constructor(rows: readonly AnnotationRow[]) {
    const reviewers = new Set<string>()
    for (const row of rows) {
      const annotation = toAnnotation(row)
      const answer = answerIn(annotation)
      if (!answer) continue
      reviewers.add(answer.reviewer)
      const key = reviewKey(annotation)
      const known = this.#answers.get(key) ?? []
      if (known.some(({ reviewer }) => reviewer === answer.reviewer)) continue
      this.#answers.set(key, [...known, { ...answer, annotation }])
    }
    this.reviewers = reviewers
  }

  of(row: ItemRow): readonly StoredAnswer[] {
    return this.#answers.get(reviewKeyOf(unitOf(row))) ?? []
  }
}

/**
 * Drops items of the project $1 whose evaluations are no longer kept, $2 at a time. Numbers of evaluations grow with time, so those
 * that are gone lie before the oldest one that is there.
 */
export const DROP_REVIEW_ITEMS = `DELETE FROM review_items WHERE (queue_number, place) IN (
  SELECT queue_number, place FROM review_items WHERE project_number = $1 AND evaluation_number < coalesce(
    (SELECT number FROM evaluations WHERE project_number = $1 ORDER BY number LIMIT 1), ${Number.MAX_SAFE_INTEGER})
  LIMIT $2)`
