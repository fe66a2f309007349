import { type Agreement, agreementOf, type JudgedPair } from '../domain/agreement.ts'
import type { ReviewedItem } from '../ports/review-storage.ts'

/** How far two sides agree, as far as both have answered. */
export interface SidesAgreement {
  readonly pairs: number
  /** Absent when there are too few pairs. */
  readonly agreement?: Agreement
}

/** How far one reviewer has come. */
export interface ReviewerProgress {
  readonly reviewer: string
  readonly answered: number
  readonly withEvaluator: SidesAgreement
}

/** How far a queue has come. */
export interface ReviewProgress {
  readonly items: number
  /** Items that at least one person has answered. */
  readonly reviewed: number
  /** Those whom the queue is for first, then others in the order of their names. */
  readonly reviewers: readonly ReviewerProgress[]
  /** The answers of all reviewers together. */
  readonly withEvaluator: SidesAgreement
  /** Every two people who have an item in common. */
  readonly between: readonly (SidesAgreement & { readonly reviewers: readonly [string, string] })[]
}

/** The progress of a queue that is for these people. */
export function reviewProgress(items: readonly ReviewedItem[], expected: readonly string[]): ReviewProgress {
  const answered = new Set(items.flatMap(({ answers }) => answers.map(({ reviewer }) => reviewer)))
  const others = [...answered].filter((name) => !expected.includes(name)).sort()
  const names = [...expected, ...others]
  return {
    items: items.length,
    reviewed: items.filter(({ answers }) => answers.length > 0).length,
    reviewers: names.map((reviewer) => ({
      reviewer,
      answered: items.filter((item) => answerOf(item, reviewer) !== undefined).length,
      withEvaluator: agreement(items.flatMap((item) => judgedPairs(item, reviewer))),
    })),
    withEvaluator: agreement(items.flatMap((item) => judgedPairs(item))),
    between: names.flatMap((left, at) =>
      names.slice(at + 1).flatMap((right) => {
        const sides = agreement(items.flatMap((item) => commonPairs(item, left, right)))
        return sides.pairs === 0 ? [] : [{ ...sides, reviewers: [left, right] as const }]
      }),
    ),
  }
}

function agreement(pairs: readonly JudgedPair[]): SidesAgreement {
  const found = agreementOf('boolean', pairs)
  return { pairs: pairs.length, ...(found && { agreement: found }) }
}

/** True where the reviewer finds that the unit passes. */
function answerOf({ answers }: ReviewedItem, reviewer: string): boolean | undefined {
  const own = answers.find((answer) => answer.reviewer === reviewer)
  return own && own.verdict === 'pass'
}

function judgedPairs({ verdict, answers }: ReviewedItem, reviewer?: string): JudgedPair[] {
  if (verdict !== 'pass' && verdict !== 'fail') return []
  return answers
    .filter((answer) => reviewer === undefined || answer.reviewer === reviewer)
    .map((answer) => ({ judge: verdict === 'pass', human: answer.verdict === 'pass' }))
}

function commonPairs(item: ReviewedItem, left: string, right: string): JudgedPair[] {
  const [judge, human] = [answerOf(item, left), answerOf(item, right)]
  return judge === undefined || human === undefined ? [] : [{ judge, human }]
}
