/** Answers of the store that are kept for a short while, so that it is not asked for every call. */
export class KeptFor<Value> {
  readonly #keptMs: number
  readonly #entriesMax: number
  readonly #nowMs: () => number
  readonly #entries = new Map<string, { readonly untilMs: number; readonly value: Promise<Value> }>()

  constructor(keptMs: number, entriesMax: number, nowMs: () => number) {
    this.#keptMs = keptMs
    this.#entriesMax = entriesMax
    this.#nowMs = nowMs
  }

  /**
   * The kept value, or the answer of `read`. Those who ask at the same time share one look; a failed one is not kept.
   */
  get(key: string, read: () => Promise<Value>): Promise<Value> {
    const nowMs = this.#nowMs()
    const known = this.#entries.get(key)
    if (known && known.untilMs > nowMs) return known.value
    const entry = { untilMs: nowMs + this.#keptMs, value: read() }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#entriesMax && oldest !== undefined) this.#entries.delete(oldest)
    return entry.value
  }

  /** Has a value read again by the next who asks. */
  forget(key: string): void {
    this.#entries.delete(key)
  }
}
