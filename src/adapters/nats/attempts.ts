/** Messages whose attempts are remembered; the one that failed longest ago is forgotten first. */
const MESSAGES_MAX = 100_000

/**
 * How often messages have failed, as far as this process has seen. The servers count deliveries, and these are something
 * else: one that met an outage of the store, or a worker that was restarted, is no fault of the message. With several
 * workers a message has its attempts at each of them.
 */
export class Attempts {
  readonly #counts = new Map<number, number>()

  /** Counts one more and tells how many there are now. */
  count(message: number): number {
    const attempts = (this.#counts.get(message) ?? 0) + 1
    this.#counts.delete(message)
    this.#counts.set(message, attempts)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > MESSAGES_MAX && oldest !== undefined) this.#counts.delete(oldest)
    return attempts
  }

  forget(message: number): void {
    this.#counts.delete(message)
  }
}
