import type { Alignment } from './align-statement.ts'

// How much of a statement must be found again, in words or in meaning.
const COVERED_FROM = 0.6
const SIMILAR_FROM = 0.6

/**
 * Whether a source seems to say what a statement says: its words or its meaning are there, and nothing in it is changed that
 * can be compared exactly (numbers, dates, negations, opposites).
 */
export function isSupported(alignment: Alignment): boolean {
  const { coverage, similarity, missingNumbers, missingDates, isNegationDifferent, opposites } = alignment
  if (missingNumbers + missingDates + opposites > 0 || isNegationDifferent) return false
  return coverage >= COVERED_FROM || similarity >= SIMILAR_FROM
}
