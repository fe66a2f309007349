/**
 * Decides which of several keys (mostly projects) is served next. Each key has a clock that runs on by the cost of
 * what it was given, and the key with the lowest clock is served next (start-time fair queueing). A key that was idle starts
 * where the key that was served last has started: it neither waits for the backlog of others nor saves up turns. Costs are in
 * any unit, such as bytes or milliseconds, and may be charged in parts: estimated at the start, corrected when measured.
 *
 * A new key waits for at most one item of every other key, however long their backlogs are.
 */

/** The clocks alone, for a queue that lies elsewhere. */
export class FairClocks<Key> {
  readonly #ahead = new Map<Key, number>()
  #now = 0

  /** How far a key is; no key is behind the one that was served last. */
  of(key: Key): number {
    return Math.max(this.#now, this.#ahead.get(key) ?? 0)
  }

  /** The turn of a key begins. */
  begin(key: Key): void {
    this.#now = this.of(key)
    // Those that the common clock has caught up with are like any other key again.
    for (const [each, clock] of this.#ahead) if (clock <= this.#now) this.#ahead.delete(each)
  }

  charge(key: Key, cost: number): void {
    this.#ahead.set(key, this.of(key) + cost)
  }

  /** The keys that have had more than others, the lowest clock first; all keys that are not among them come before. */
  get ahead(): Key[] {
    return [...this.#ahead].sort(([, left], [, right]) => left - right).map(([key]) => key)
  }
}

/** The item that is served next, and its key. */
export interface Served<Key, Item> {
  readonly key: Key
  readonly item: Item
}

/** Items that wait. The items of a key are served in their order. */
export class FairQueue<Key, Item> {
  readonly #clocks = new FairClocks<Key>()
  // In the order in which the keys began to wait for their turn.
  readonly #waiting = new Map<Key, Item[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The keys that have items here, each once. */
  get keys(): Iterable<Key> {
    return this.#waiting.keys()
  }

  push(key: Key, item: Item): void {
    this.#itemsOf(key).push(item)
    this.#size++
  }

  /** Puts an item before the others of its key: its turn was over before it was finished. */
  unshift(key: Key, item: Item): void {
    this.#itemsOf(key).unshift(item)
    this.#size++
  }

  /** Takes out the first item of the key whose turn it is, among the keys that `mayServe` allows. */
  shift(mayServe: (key: Key) => boolean = () => true): Served<Key, Item> | undefined {
    let next: Key | undefined
    let lowest = Number.POSITIVE_INFINITY
    for (const key of this.#waiting.keys()) {
      const clock = this.#clocks.of(key)
      if (clock >= lowest || !mayServe(key)) continue
      next = key
      lowest = clock
    }
    if (next === undefined) return undefined
    const items = this.#waiting.get(next) as Item[]
    const item = items.shift() as Item
    this.#size--
    this.#clocks.begin(next)
    // Of those with the same clock it is the last now.
    this.#waiting.delete(next)
    if (items.length > 0) this.#waiting.set(next, items)
    return { key: next, item }
  }

  /** Puts a cost on the clock of a key, whether or not it has items here. */
  charge(key: Key, cost: number): void {
    this.#clocks.charge(key, cost)
  }

  /** Takes an item out that is not wanted any more; false when it is not here. */
  remove(key: Key, item: Item): boolean {
    const items = this.#waiting.get(key) ?? []
    const at = items.indexOf(item)
    if (at === -1) return false
    items.splice(at, 1)
    this.#size--
    if (items.length === 0) this.#waiting.delete(key)
    return true
  }

  /** Takes everything out, in no particular order of keys. */
  drain(): Item[] {
    const items = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    this.#size = 0
    return items
  }

  #itemsOf(key: Key): Item[] {
    let items = this.#waiting.get(key)
    if (!items) {
      items = []
      this.#waiting.set(key, items)
    }
    return items
  }
}
