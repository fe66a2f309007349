import { askHead, type HeadName } from './text-model.ts'

/**
 * How likely a text is what the head looks for, from 0 to 1: the probability of its most suspicious window, in whichever kind
 * of attack it is most. Reading stops at the first window that reaches `enough`, so a text that is found out early is not
 * read to its end.
 */
export function probabilityOf(text: string, head: Exclude<HeadName, 'tone'>, enough: number): number {
  let most = 0
  for (const { logits } of askHead(text, head)) {
    most = Math.max(most, 1 / (1 + Math.exp(-Math.max(...logits))))
    if (most >= enough) break
  }
  return most
}

/** The share of each answer of a head over the whole text, every token counted alike; undefined for an empty text. */
export function sharesOf(text: string, head: HeadName): number[] | undefined {
  let tokensRead = 0
  let sums: number[] = []
  for (const { tokens, logits } of askHead(text, head)) {
    const most = Math.max(...logits)
    const powers = logits.map((logit) => Math.exp(logit - most))
    const total = powers.reduce((sum, power) => sum + power, 0)
    sums = powers.map((power, at) => (sums[at] ?? 0) + (tokens * power) / total)
    tokensRead += tokens
  }
  return tokensRead === 0 ? undefined : sums.map((sum) => sum / tokensRead)
}
