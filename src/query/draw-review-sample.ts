import { createHash } from 'node:crypto'
import { reviewKeyOf } from '../domain/review.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import type { StoredEvaluation } from '../ports/result-storage.ts'
import { type EvaluationSearch, type EvaluationSource, searchEvaluations } from './search-evaluations.ts'

/** Newest evaluations that a sample is drawn from, and pages that are read for them. */
export const DRAWN_FROM_MAX = 10_000
const PAGES_MAX = 20
const PAGE = 1_000

/** A random sample, in the order of its review. */
export interface ReviewSample {
  readonly evaluations: readonly Pick<StoredEvaluation, 'number' | 'unitAtMs'>[]
  /** How many evaluations it was drawn from. */
  readonly drawnFrom: number
  /** There were no more that match. */
  readonly isWhole: boolean
}

interface Lot extends Pick<StoredEvaluation, 'number' | 'unitAtMs'> {
  readonly lot: string
}

/**
 * Draws evaluations with a verdict that passes or fails, each unit and evaluator once. The seed and the numbers of the evaluations
 * decide, so that the same seed draws the same ones from the same evaluations.
 */
export async function drawReviewSample(
  storage: EvaluationSource,
  tenant: ProjectTenant,
  search: Omit<EvaluationSearch, 'limit'>,
  { size, seed }: { readonly size: number; readonly seed: string },
): Promise<ReviewSample> {
  const lots: Lot[] = []
  const seen = new Set<string>()
  let after: number | undefined
  for (let pages = 0; pages < PAGES_MAX && lots.length < DRAWN_FROM_MAX; pages++) {
    const page = await searchEvaluations(storage, tenant, { ...search, limit: PAGE }, after)
    for (const evaluation of page.evaluations) {
      const key = reviewKeyOf(evaluation)
      if (!isJudged(evaluation) || seen.has(key)) continue
      seen.add(key)
      const { number, unitAtMs } = evaluation
      lots.push({ number, unitAtMs, lot: lotOf(seed, number) })
    }
    after = page.nextAfter
    if (after === undefined) break
  }
  const drawn = lots.slice(0, DRAWN_FROM_MAX)
  const ordered = drawn.toSorted((left, right) => (left.lot < right.lot ? -1 : 1)).slice(0, size)
  return {
    evaluations: ordered.map(({ number, unitAtMs }) => ({ number, unitAtMs })),
    drawnFrom: drawn.length,
    isWhole: after === undefined,
  }
}

function isJudged({ verdict, status }: StoredEvaluation): boolean {
  return status === 'scored' && (verdict === 'pass' || verdict === 'fail')
}

function lotOf(seed: string, number: number): string {
  return createHash('sha256').update(`${seed}:${number}`).digest('hex')
}
