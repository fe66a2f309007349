import { PublicError } from '../lib/public-error.ts'

/** Something that the process cannot do without; resolves when it answers. */
export interface Needed {
  ping(): Promise<void>
}

/** How long an answer counts: anybody may ask, and each time the store has to write a little. */
const FRESH_MS = 1_000

/** Whether a process should be sent requests. */
export class Readiness {
  readonly #needed: readonly Needed[]
  readonly #nowMs: () => number
  #isLeaving = false
  #last: { readonly atMs: number; readonly outcome: Promise<unknown> } | undefined

  constructor(needed: readonly Needed[], nowMs: () => number = () => performance.now()) {
    this.#needed = needed
    this.#nowMs = nowMs
  }

  /** From now on it says that it is going, though it still serves. */
  leave(): void {
    this.#isLeaving = true
  }

  /** Resolves when the process is ready; rejects with the reason when it is not. */
  async check(): Promise<void> {
    if (this.#isLeaving) throw new PublicError('unavailable', 'the process is shutting down')
    const nowMs = this.#nowMs()
    if (!this.#last || nowMs - this.#last.atMs > FRESH_MS) {
      this.#last = { atMs: nowMs, outcome: Promise.all(this.#needed.map((each) => each.ping())) }
    }
    await this.#last.outcome
  }
}
