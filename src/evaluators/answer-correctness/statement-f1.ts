const F1_WEIGHT = 0.75
const SIMILARITY_WEIGHT = 0.25

/**
 * The F1 of two lists of statements: precision is the share of the answer's statements that the truth supports, recall the
 * share of the truth's statements that the answer covers. Without statements on one side it is 0.
 */
export function statementF1(right: readonly boolean[], covered: readonly boolean[]): number {
  const [precision, recall] = [shareOf(right), shareOf(covered)]
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)
}

/** The score of an answer to a long truth. */
export function blend(f1: number, similarity: number): number {
  return Number((F1_WEIGHT * f1 + SIMILARITY_WEIGHT * similarity).toFixed(4))
}

function shareOf(flags: readonly boolean[]): number {
  return flags.length === 0 ? 0 : flags.filter(Boolean).length / flags.length
}
