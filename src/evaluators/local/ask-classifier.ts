import type { TextClassifier } from '../../ports/text-classifier.ts'

/**
 * How likely a text is what a detector looks for, from 0 to 1, according to a user's own model: that of its most suspicious
 * part. Reading stops at the first part that reaches `enough`. A text without tokens is nothing suspicious.
 */
export async function likelihoodOf(
  classifier: TextClassifier,
  text: string,
  enough: number,
): Promise<number> {
  let most = 0
  for await (const { likelihoods } of classifier.read(text)) {
    most = Math.max(most, likelihoods[0] ?? 0)
    if (most >= enough) break
  }
  return most
}

/** The mean of each answer over the whole text, every token counted alike; undefined for a text without tokens. */
export async function meanLikelihoods(
  classifier: TextClassifier,
  text: string,
): Promise<number[] | undefined> {
  let tokensRead = 0
  let sums: number[] = []
  for await (const { tokens, likelihoods } of classifier.read(text)) {
    sums = likelihoods.map((likelihood, at) => (sums[at] ?? 0) + tokens * likelihood)
    tokensRead += tokens
  }
  return tokensRead === 0 ? undefined : sums.map((sum) => sum / tokensRead)
}
