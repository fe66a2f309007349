// Byte n-grams with modified Kneser-Ney smoothing (Chen and Goodman 1999). A gram is a number: its bytes, read as digits
// to the base 256, so that six bytes fit into what a double holds exactly.

/** The longest gram, in bytes. */
export const ORDER = 6

/** What the model says after one context: cost in bits of each byte it knows there, and of leaving for a shorter context. */
export interface SmoothedGrams {
  /** By length: the cost of the last byte after the bytes before it. */
  readonly costs: readonly Map<number, number>[]
  /** By length of the context: the cost of a byte that is not known there, to be added to its cost after the shorter one. */
  readonly backoffs: readonly Map<number, number>[]
}

/**
 * Counts, prunes and smooths. `leastCounts[n]` is the least count of a gram of n bytes; rarer ones are left out, unless
 * a longer gram that is kept begins or ends with them.
 */
export function smoothedGrams(text: Uint8Array, leastCounts: readonly number[]): SmoothedGrams {
  const counts = continuationCounts(text)
  const kept = keptGrams(counts, leastCounts)
  const costs: Map<number, number>[] = [new Map()]
  const backoffs: Map<number, number>[] = []
  for (let length = 1; length <= ORDER; length++) {
    const { left, total } = leftOver(mapAt(counts, length), setAt(kept, length))
    const discounts = discountsOf(mapAt(counts, length))
    backoffs.push(
      new Map([...left].map(([context, mass]) => [context, -Math.log2(mass / valueAt(total, context))])),
    )
    const shorter = mapAt(costs, length - 1)
    const own = new Map<number, number>()
    for (const gram of setAt(kept, length)) {
      const context = Math.floor(gram / 256)
      const count = valueAt(mapAt(counts, length), gram)
      // Every gram of two bytes or more ends with a kept one; a single byte falls back to all bytes alike.
      const lower = length === 1 ? 1 / 256 : 2 ** -valueAt(shorter, gram % 256 ** (length - 1))
      const share = count - discountFor(discounts, count) + valueAt(left, context) * lower
      own.set(gram, -Math.log2(share / valueAt(total, context)))
    }
    costs.push(own)
  }
  return { costs, backoffs }
}

/** How often the longest grams occur; for shorter ones, after how many different bytes they occur. */
function continuationCounts(text: Uint8Array): Map<number, number>[] {
  const counts = Array.from({ length: ORDER + 1 }, () => new Map<number, number>())
  const longest = mapAt(counts, ORDER)
  let gram = 0
  for (const [at, byte] of text.entries()) {
    gram = (gram % 256 ** (ORDER - 1)) * 256 + byte
    if (at >= ORDER - 1) longest.set(gram, (longest.get(gram) ?? 0) + 1)
  }
  for (let length = ORDER - 1; length >= 1; length--) {
    const own = mapAt(counts, length)
    for (const longer of mapAt(counts, length + 1).keys()) {
      const ending = longer % 256 ** length
      own.set(ending, (own.get(ending) ?? 0) + 1)
    }
  }
  return counts
}

function keptGrams(counts: readonly Map<number, number>[], leastCounts: readonly number[]): Set<number>[] {
  const kept = counts.map(() => new Set<number>())
  for (let length = ORDER; length >= 1; length--) {
    const own = setAt(kept, length)
    for (const [gram, count] of mapAt(counts, length)) if (count >= (leastCounts[length] ?? 1)) own.add(gram)
    if (length === ORDER) continue
    for (const longer of setAt(kept, length + 1)) {
      own.add(longer % 256 ** length)
      own.add(Math.floor(longer / 256))
    }
  }
  // A beginning may never have been counted at the end of anything, at the very start of the text.
  for (const [length, own] of kept.entries()) {
    for (const gram of own) if (!counts[length]?.has(gram)) counts[length]?.set(gram, 1)
  }
  return kept
}

/** For each context: everything counted after it, and the part of that which kept grams do not use themselves. */
function leftOver(counts: ReadonlyMap<number, number>, kept: ReadonlySet<number>) {
  const left = new Map<number, number>()
  const total = new Map<number, number>()
  const discounts = discountsOf(counts)
  for (const [gram, count] of counts) {
    const context = Math.floor(gram / 256)
    total.set(context, (total.get(context) ?? 0) + count)
    left.set(context, (left.get(context) ?? 0) + (kept.has(gram) ? discountFor(discounts, count) : count))
  }
  return { left, total }
}

function discountsOf(counts: ReadonlyMap<number, number>): readonly [number, number, number] {
  const times = [0, 0, 0, 0, 0]
  for (const count of counts.values()) if (count <= 4) times[count] = (times[count] ?? 0) + 1
  const [, one = 0, two = 0, three = 0, four = 0] = times
  const share = one / (one + 2 * two)
  // Too few single bytes are rare for an estimate: then a half of each count is taken.
  const estimate = (count: number, here: number, next: number) => {
    const value = count - ((count + 1) * share * next) / here
    return value > 0 && value < count ? value : count / 2
  }
  return [estimate(1, one, two), estimate(2, two, three), estimate(3, three, four)]
}

function discountFor([one, two, more]: readonly [number, number, number], count: number): number {
  return count >= 3 ? more : count === 2 ? two : one
}

function mapAt(maps: readonly Map<number, number>[], at: number): Map<number, number> {
  const map = maps[at]
  if (!map) throw new Error(`no grams of ${at} bytes`)
  return map
}

function setAt(sets: readonly Set<number>[], at: number): Set<number> {
  const set = sets[at]
  if (!set) throw new Error(`no grams of ${at} bytes`)
  return set
}

function valueAt(map: ReadonlyMap<number, number>, key: number): number {
  const value = map.get(key)
  if (value === undefined) throw new Error(`gram ${key} was not counted`)
  return value
}
