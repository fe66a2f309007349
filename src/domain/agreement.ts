/** How far a judge and people agree. */

/** Pairs below which nothing is said: a share of so few would be chance. */
export const PAIRS_MIN = 10

/** The kind of the compared values. */
export type AgreementKind = 'boolean' | 'number' | 'label'

/** One unit: what the judge said and what a person said, of the same kind. */
export interface JudgedPair {
  readonly judge: boolean | number | string
  readonly human: boolean | number | string
}

/** How far the two agree. A measure that cannot be computed is absent. */
export interface Agreement {
  /** For booleans and labels: the share of pairs that are equal. */
  readonly share?: number
  /** Cohen's kappa: how far above chance that is; absent where chance alone would make them agree. */
  readonly kappa?: number
  /** For numbers: Pearson's correlation; absent where one side always said the same. */
  readonly correlation?: number
  /** For numbers: by how much they differ on average. */
  readonly meanDifference?: number
}

/** The kind of a value; undefined for one that cannot be compared. */
export function kindOf(value: unknown): AgreementKind | undefined {
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return 'number'
  return typeof value === 'string' ? 'label' : undefined
}

/** How far judge and people agree on these pairs, all of one kind; undefined when there are too few of them. */
export function agreementOf(kind: AgreementKind, pairs: readonly JudgedPair[]): Agreement | undefined {
  if (pairs.length < PAIRS_MIN) return undefined
  if (kind === 'number') return numbersAgree(pairs as readonly { judge: number; human: number }[])
  const share = pairs.filter(({ judge, human }) => judge === human).length / pairs.length
  const chance = chanceOf(pairs)
  return { share, ...(chance === 1 ? {} : { kappa: (share - chance) / (1 - chance) }) }
}

/** The share that would be equal if each side said what it says as often as it does, but at random. */
function chanceOf(pairs: readonly JudgedPair[]): number {
  const judged = countBy(pairs.map(({ judge }) => judge))
  const told = countBy(pairs.map(({ human }) => human))
  let equal = 0
  for (const [value, count] of judged) equal += count * (told.get(value) ?? 0)
  return equal / pairs.length ** 2
}

function countBy(values: readonly unknown[]): Map<unknown, number> {
  const counts = new Map<unknown, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

function numbersAgree(pairs: readonly { judge: number; human: number }[]): Agreement {
  const judge = pairs.map((pair) => pair.judge)
  const human = pairs.map((pair) => pair.human)
  const correlation = isConstant(judge) || isConstant(human) ? Number.NaN : correlate(judge, human)
  return {
    // Numbers near the limits of their range have a spread that cannot be computed.
    ...(Number.isFinite(correlation) ? { correlation } : {}),
    meanDifference: meanOf(pairs.map((pair) => Math.abs(pair.judge - pair.human))),
  }
}

function isConstant(values: readonly number[]): boolean {
  return values.every((value) => value === values[0])
}

function correlate(left: readonly number[], right: readonly number[]): number {
  const [leftParts, rightParts] = [centred(left), centred(right)]
  const spread = Math.sqrt(dot(leftParts, leftParts)) * Math.sqrt(dot(rightParts, rightParts))
  return Math.max(-1, Math.min(1, dot(leftParts, rightParts) / spread))
}

function centred(values: readonly number[]): number[] {
  const mean = meanOf(values)
  return values.map((value) => value - mean)
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value / values.length, 0)
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)
}
