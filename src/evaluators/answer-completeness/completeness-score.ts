/** A fact of the context that the question needs. */
export interface NeededFact {
  readonly isVital: boolean
  readonly isCovered: boolean
}

/** The weight of a minor fact beside a vital one. */
const MINOR_WEIGHT = 0.5

/** The weighed share of the needed facts that the answer covers; where nothing is needed, nothing is left out. */
export function completenessOf(facts: readonly NeededFact[]): number {
  const weigh = (some: readonly NeededFact[]) =>
    some.reduce((sum, { isVital }) => sum + (isVital ? 1 : MINOR_WEIGHT), 0)
  const needed = weigh(facts)
  if (needed === 0) return 1
  return Number((weigh(facts.filter(({ isCovered }) => isCovered)) / needed).toFixed(4))
}
