import { saidBy, type Turn } from '../trajectory/turns.ts'

/** The three parts of the score, each from 0 to 1. */
export interface QualityParts {
  readonly relevancy: number
  readonly completeness: number
  readonly retention: number
}

/** The score of a conversation; the weights are part of the interface. */
export function qualityOf({ relevancy, completeness, retention }: QualityParts): number {
  // In tenths, so that three full parts make 1 and not a little less.
  return (4 * relevancy + 4 * completeness + 2 * retention) / 10
}

/** Whether the assistant said anything; a conversation without answers has the score 0. */
export function isAnswered(turns: readonly Turn[]): boolean {
  return saidBy(turns, 'assistant').length > 0
}

/** The turns of the assistant that come after the user has spoken twice: only these can forget what was told before. */
export function turnsThatCouldForget(turns: readonly Turn[]): Turn[] {
  const second = saidBy(turns, 'user')[1]
  return second ? saidBy(turns, 'assistant').filter(({ at }) => at > second.at) : []
}
