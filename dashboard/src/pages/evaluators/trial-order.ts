import type { TrialResult } from './trial-types.ts'

/** The results of one row, by candidate. */
export interface TriedRow {
  readonly row: number
  readonly results: readonly (TrialResult | undefined)[]
  /** The candidates came to different verdicts. */
  readonly isDifferent: boolean
  /** A candidate came to another verdict than a person. */
  readonly isDisputed: boolean
}

/** All rows in the order in which they deserve a look: differences, then disputes with people, then failures, then the rest. */
export function orderRows(count: number, results: readonly TrialResult[], candidates: number): TriedRow[] {
  const rows = Array.from({ length: count }, (_, row) => triedRow(row, results, candidates))
  return rows.toSorted((left, right) => urgency(right) - urgency(left) || left.row - right.row)
}

function triedRow(row: number, results: readonly TrialResult[], candidates: number): TriedRow {
  const own = Array.from({ length: candidates }, (_, candidate) =>
    results.find((result) => result.row === row && result.candidate === candidate),
  )
  const ended = own.filter((result) => result !== undefined)
  const outcomes = new Set(ended.map(({ verdict }) => verdict ?? 'none'))
  return {
    row,
    results: own,
    isDifferent: ended.length > 1 && outcomes.size > 1,
    isDisputed: ended.some(
      ({ verdict, label }) => label !== undefined && verdict !== undefined && isOpposite(verdict, label),
    ),
  }
}

function isOpposite(verdict: string, label: string): boolean {
  return verdict !== label && verdict !== 'neutral' && label !== 'neutral'
}

function urgency({ isDifferent, isDisputed, results }: TriedRow): number {
  if (isDifferent) return 4
  if (isDisputed) return 3
  if (results.some((result) => result?.problem !== undefined)) return 2
  return results.some((result) => result?.verdict === 'fail') ? 1 : 0
}

/** The words of a judge for its verdict: the first text among its answers. */
export function reasonOf(result: TrialResult | undefined): string | undefined {
  const texts = Object.values(result?.output ?? {}).filter((value) => typeof value === 'string')
  return texts.find((text) => text.includes(' ')) ?? texts[0]
}
