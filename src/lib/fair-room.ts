/**
 * Room that keys share, in any unit such as bytes or requests. One key alone may fill it. When it is full, a key that has less
 * than an equal share still gets in, up to twice the room in all: what fills a room turns away its own key first.
 */
export class FairRoom<Key> {
  readonly #max: number
  readonly #used = new Map<Key, number>()
  #total = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Whether that much more fits. Anything fits into an empty room. */
  has(key: Key, amount: number): boolean {
    const total = this.#total + amount
    if (this.#total === 0 || total <= this.#max) return true
    if (total > 2 * this.#max) return false
    const own = this.#used.get(key) ?? 0
    return own === 0 || own + amount <= this.#max / this.#used.size
  }

  take(key: Key, amount: number): void {
    this.#total += amount
    this.#used.set(key, (this.#used.get(key) ?? 0) + amount)
  }

  leave(key: Key, amount: number): void {
    this.#total -= amount
    const left = (this.#used.get(key) ?? 0) - amount
    if (left > 0) this.#used.set(key, left)
    else this.#used.delete(key)
  }
}
