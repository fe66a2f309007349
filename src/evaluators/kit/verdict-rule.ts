import {
  type Comparison,
  DEFAULT_LABELS,
  type VerdictCondition,
  type VerdictLabels,
  type VerdictRule,
} from '../../domain/verdict.ts'

/** A boolean that has to be true. */
export const isTrue = (field: string): VerdictCondition => ({ field, is: true })
/** A boolean that has to be false. */
export const isFalse = (field: string): VerdictCondition => ({ field, is: false })
/** A text that has to be one of several. */
export const isOneOf = (field: string, ...oneOf: string[]): VerdictCondition => ({ field, oneOf })
/** A number that has to be at least so much. */
export const atLeast = comparing('at_least')
/** A number that has to be at most so much. */
export const atMost = comparing('at_most')
/** A number that has to be greater than that. */
export const above = comparing('above')
/** A number that has to be less than that. */
export const below = comparing('below')

function comparing(compare: Comparison) {
  return (field: string, threshold: number): VerdictCondition => ({ field, compare, threshold })
}

/** The rule of an evaluator: its conditions, and what a verdict is called. */
export function judgesBy(
  conditions: VerdictCondition | readonly VerdictCondition[],
  labels: VerdictLabels,
  scoreField?: string,
): VerdictRule {
  return {
    conditions: [conditions].flat(),
    labels,
    ...(scoreField === undefined ? {} : { scoreField }),
  }
}

/** The rule of an evaluator that only counts: no number of characters is good or bad by itself. */
export const NEUTRAL: VerdictRule = { conditions: [], labels: DEFAULT_LABELS }
