import type { Alignment } from './align-statement.ts'

// How much of a statement must be found again, in words or in meaning.
const COVERED_FROM = 0.6
const SIMILAR_FROM = 0.6

/** Whether a source seems to say what a statement says: its words or its meaning are there, and it is unchanged. */
export function isSupported(alignment: Alignment): boolean {
  return (
    isUnchanged(alignment) && (alignment.coverage >= COVERED_FROM || alignment.similarity >= SIMILAR_FROM)
  )
}

/** Whether nothing is changed that can be compared exactly: numbers, dates, negations, opposites. */
export function isUnchanged(alignment: Alignment): boolean {
  const { missingNumbers, missingDates, opposites, isNegationDifferent } = alignment
  return missingNumbers + missingDates + opposites === 0 && !isNegationDifferent
}
