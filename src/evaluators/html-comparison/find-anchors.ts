/** A place where the same tokens stand in both sequences. */
export interface Anchor {
  readonly startA: number
  readonly startB: number
}

/** How many tokens make a stretch: enough to be particular, few enough to lie between two edits. */
const STRETCH_TOKENS = 4

const UNSEEN = -1
const REPEATED = -2

/**
 * The stretches that occur exactly once in each sequence, as many of them as are in the same order in both: the
 * anchors of a "patience" diff. They carry an alignment over insertions, deletions and moves of any length.
 */
export function findAnchors(a: Int32Array, b: Int32Array): Anchor[] {
  const table = new StretchTable(a.length)
  const slotsOfA = new Int32Array(a.length)
  for (let start = 0; start + STRETCH_TOKENS <= a.length; start += 1) {
    const slot = table.slotFor(hashStretch(a, start))
    table.inA[slot] = table.inA[slot] === UNSEEN ? start : REPEATED
    slotsOfA[start] = slot
  }
  for (let start = 0; start + STRETCH_TOKENS <= b.length; start += 1) {
    const slot = table.slotFor(hashStretch(b, start))
    // A free slot: the stretch is not in a, and writing it down would fill the table.
    if (table.inA[slot] !== UNSEEN) table.inB[slot] = table.inB[slot] === UNSEEN ? start : REPEATED
  }
  const anchors: Anchor[] = []
  for (let start = 0; start + STRETCH_TOKENS <= a.length; start += 1) {
    const slot = slotsOfA[start] as number
    const startB = table.inB[slot] as number
    if (table.inA[slot] === start && startB >= 0 && isSameStretch(a, start, b, startB)) {
      anchors.push({ startA: start, startB })
    }
  }
  return longestRising(anchors)
}

/** An open-addressing hash table over typed arrays: a Map of a million stretches takes several times as long. */
class StretchTable {
  readonly inA: Int32Array
  readonly inB: Int32Array
  readonly #hashes: Int32Array
  readonly #mask: number

  constructor(entries: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * entries + 2))
    this.#mask = size - 1
    this.#hashes = new Int32Array(size)
    this.inA = new Int32Array(size).fill(UNSEEN)
    this.inB = new Int32Array(size).fill(UNSEEN)
  }

  /** The slot of a hash, or a free one. Different stretches with one hash count as repeated or are told apart later. */
  slotFor(hash: number): number {
    let slot = hash & this.#mask
    while (this.inA[slot] !== UNSEEN && this.#hashes[slot] !== hash) slot = (slot + 1) & this.#mask
    this.#hashes[slot] = hash
    return slot
  }
}

function hashStretch(tokens: Int32Array, start: number): number {
  let hash = 0
  for (let index = start; index < start + STRETCH_TOKENS; index += 1) {
    hash = Math.imul(hash ^ (tokens[index] as number), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return hash
}

function isSameStretch(a: Int32Array, startA: number, b: Int32Array, startB: number): boolean {
  for (let offset = 0; offset < STRETCH_TOKENS; offset += 1) {
    if (a[startA + offset] !== b[startB + offset]) return false
  }
  return true
}

/** The longest part of the anchors, which are in the order of a, that is in the order of b too. */
function longestRising(anchors: readonly Anchor[]): Anchor[] {
  // lasts[n] is the anchor with the smallest place in b that ends a rising row of n + 1 anchors.
  const lasts = new Int32Array(anchors.length)
  const previous = new Int32Array(anchors.length)
  let longest = 0
  for (const [index, { startB }] of anchors.entries()) {
    let low = 0
    let high = longest
    while (low < high) {
      const middle = (low + high) >> 1
      if ((anchors[lasts[middle] as number] as Anchor).startB < startB) low = middle + 1
      else high = middle
    }
    previous[index] = low > 0 ? (lasts[low - 1] as number) : -1
    lasts[low] = index
    if (low === longest) longest += 1
  }
  const rising: Anchor[] = []
  let index = longest > 0 ? (lasts[longest - 1] as number) : -1
  while (index >= 0) {
    rising.push(anchors[index] as Anchor)
    index = previous[index] as number
  }
  return rising.reverse()
}
