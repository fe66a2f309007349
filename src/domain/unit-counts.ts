import type { EvaluationStatus } from './evaluation.ts'

const FAILED: ReadonlySet<EvaluationStatus> = new Set(['error', 'unparseable', 'refused', 'over_budget'])
const OTHER: ReadonlySet<EvaluationStatus> = new Set(['abstained', 'missing_input'])

/**
 * Units that were looked at, by whether that led to a score. Units that were left out, cancelled or superseded are in
 * none.
 */
export interface UnitCounts {
  readonly scored: number
  /** Something went wrong: an error, an unreadable verdict, a refusal, a spent budget. */
  readonly failed: number
  /** There was nothing to score: no input, or no honest answer. */
  readonly other: number
}

/** Whether evaluating went wrong, as opposed to there being nothing to score. */
export function isFailure(status: EvaluationStatus): boolean {
  return FAILED.has(status)
}

/** Adds up what came of units. */
export function countUnits(byStatus: Readonly<Partial<Record<EvaluationStatus, number>>>): UnitCounts {
  const sumOf = (statuses: ReadonlySet<EvaluationStatus>) =>
    [...statuses].reduce((sum, status) => sum + (byStatus[status] ?? 0), 0)
  return { scored: byStatus.scored ?? 0, failed: sumOf(FAILED), other: sumOf(OTHER) }
}

/** All units that were looked at. */
export function evaluatedUnits({ scored, failed, other }: UnitCounts): number {
  return scored + failed + other
}
