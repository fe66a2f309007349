/** Messages whose attempts are remembered; the one that failed longest ago is forgotten first. */
const MESSAGES_MAX = 100_000

/** How a message has fared so far. */
export interface Failed {
  /** How often it has failed, for whatever reason. */
  readonly failures: number
  /** How often it has failed for a reason of its own. */
  readonly attempts: number
  /** How many other messages had been taken by then. */
  readonly taken: number
}

/**
 * How often messages have failed, as far as this process has seen. The servers count deliveries, and these are something
 * else: one that met an outage of the store, or a worker that was restarted, is no fault of the message. And a store that takes
 * nothing at all is no fault of any message, whatever it says: a failure counts only when another message was taken since the
 * one before. With several workers a message has its attempts at each of them.
 */
export class Attempts {
  readonly #failed = new Map<number, Failed>()
  #taken = 0

  /** A message was taken, so that the store works. */
  countTaken(message: number): void {
    this.#taken++
    this.forget(message)
  }

  /** Counts one more failure, and tells how many there are now. */
  count(message: number): Failed {
    const before = this.#failed.get(message) ?? { failures: 0, attempts: 0, taken: -1 }
    const isAttempt = before.taken !== this.#taken
    const failed = {
      failures: before.failures + 1,
      attempts: before.attempts + (isAttempt ? 1 : 0),
      taken: this.#taken,
    }
    this.#failed.delete(message)
    this.#failed.set(message, failed)
    const [oldest] = this.#failed.keys()
    if (this.#failed.size > MESSAGES_MAX && oldest !== undefined) this.#failed.delete(oldest)
    return failed
  }

  forget(message: number): void {
    this.#failed.delete(message)
  }
}
