/**
 * Finds which of many texts occur in a given one. A few texts are looked for one by one. Beyond that each text is known
 * by a few characters in a row, the ones that the fewest other texts are known by, and the given text is gone through
 * once: the cost grows with its length and not with the number of texts that do not occur in it.
 */

/** Up to this many texts are looked for one by one, which the engine does faster than a character at a time. */
const LOOKED_FOR_MAX = 16
/** By how many characters a text is known; a shorter one by all it has. */
const GRAM_LENGTH = 4
/** Where in a text its gram may begin; long texts need not be looked through for a better one. */
const GRAM_OFFSET_MAX = 64

const UNIT_BITS = 7

interface Item<V> {
  readonly text: string
  readonly value: V
  /** Its last unit, which tells most texts apart that begin alike; comparing all of them would take their length each. */
  readonly lastUnit: number
  /** Where in the text its gram begins, and the gram. */
  readonly offset: number
  readonly gram: number
}

/** Values by text; each text is held once. */
export class SubstringIndex<V> {
  readonly #items = new Map<string, Item<V>>()
  /** The items by gram, for each length of gram from 0 to GRAM_LENGTH; made when there are too many items. */
  #byGram: Map<number, Item<V>[]>[] | undefined

  get size(): number {
    return this.#items.size
  }

  get(text: string): V | undefined {
    return this.#items.get(text)?.value
  }

  /** Adds a text that is not held yet. */
  add(text: string, value: V): void {
    if (this.#items.size < LOOKED_FOR_MAX) {
      this.#items.set(text, { text, value, lastUnit: lastUnitOf(text), offset: 0, gram: 0 })
      return
    }
    this.#byGram ??= this.#gramsOf(this.#items.values())
    this.#addToGrams(this.#byGram, text, value)
  }

  delete(text: string): void {
    const item = this.#items.get(text)
    if (!item) return
    this.#items.delete(text)
    if (this.#items.size <= LOOKED_FOR_MAX) this.#byGram = undefined
    const byGram = this.#byGram?.[gramLength(text)]
    const left = byGram?.get(item.gram)?.filter((other) => other !== item) ?? []
    if (left.length > 0) byGram?.set(item.gram, left)
    else byGram?.delete(item.gram)
  }

  /** Puts the value of every text that occurs in `within` at the end of `found`, some of them perhaps repeatedly. */
  find(within: string, found: V[]): void {
    if (!this.#byGram) {
      for (const { text, value } of this.#items.values()) if (within.includes(text)) found.push(value)
      return
    }
    for (let length = 0; length <= GRAM_LENGTH; length++) {
      const byGram = this.#byGram[length]
      if (byGram && byGram.size > 0) findByGram(within, length, byGram, found)
    }
  }

  #gramsOf(items: Iterable<Item<V>>): Map<number, Item<V>[]>[] {
    const byGram = Array.from({ length: GRAM_LENGTH + 1 }, () => new Map<number, Item<V>[]>())
    for (const { text, value } of [...items]) this.#addToGrams(byGram, text, value)
    return byGram
  }

  #addToGrams(grams: Map<number, Item<V>[]>[], text: string, value: V): void {
    const length = gramLength(text)
    const byGram = grams[length]
    if (!byGram) return
    let best = { offset: 0, gram: 0, shared: Number.POSITIVE_INFINITY }
    for (let offset = 0; offset + length <= text.length && offset <= GRAM_OFFSET_MAX; offset++) {
      const gram = gramAt(text, offset, length)
      const shared = byGram.get(gram)?.length ?? 0
      if (shared < best.shared) best = { offset, gram, shared }
    }
    const item = { text, value, lastUnit: lastUnitOf(text), offset: best.offset, gram: best.gram }
    this.#items.set(text, item)
    const sharing = byGram.get(item.gram)
    if (sharing) sharing.push(item)
    else byGram.set(item.gram, [item])
  }
}

function findByGram<V>(
  within: string,
  length: number,
  byGram: ReadonlyMap<number, readonly Item<V>[]>,
  found: V[],
): void {
  const mask = gramMask(length)
  // A value that was found is not looked for again: a text of one character would otherwise be compared at each of its places.
  const isFound = new Set<Item<V>>()
  let gram = 0
  for (let end = 0; end <= within.length; end++) {
    const items = end < length ? undefined : byGram.get(gram)
    if (items) {
      for (const item of items) {
        const { text, lastUnit } = item
        const start = end - length - item.offset
        if (start < 0 || isFound.has(item)) continue
        if (text.length > 0 && within.charCodeAt(start + text.length - 1) !== lastUnit) continue
        if (!within.startsWith(text, start)) continue
        isFound.add(item)
        found.push(item.value)
      }
    }
    if (end < within.length) gram = nextGram(gram, within.charCodeAt(end), mask)
  }
}

function lastUnitOf(text: string): number {
  return text.length === 0 ? 0 : text.charCodeAt(text.length - 1)
}

function gramLength(text: string): number {
  return Math.min(text.length, GRAM_LENGTH)
}

function gramAt(text: string, offset: number, length: number): number {
  let gram = 0
  for (let at = offset; at < offset + length; at++)
    gram = nextGram(gram, text.charCodeAt(at), gramMask(length))
  return gram
}

// Characters that are not ASCII may give the same gram as others; what a gram leads to is compared as a whole anyway.
function nextGram(gram: number, unit: number, mask: number): number {
  return ((gram << UNIT_BITS) | (unit & ((1 << UNIT_BITS) - 1))) & mask
}

function gramMask(length: number): number {
  return (1 << (UNIT_BITS * length)) - 1
}
