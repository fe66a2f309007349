import type { PublicError } from '../../lib/public-error.ts'

/** For this long an outage that a write has met stands for the store; after that a probe tells. */
const REMEMBERED_MS = 5_000

/**
 * Remembers the last outage that a write has met. A probe is small and may still find room where the writes of clients do
 * not, so it alone would call a store ready that is not. Writes that succeed tell nothing: most looks for work change
 * nothing and succeed on a full disk.
 */
export class StoreHealth {
  readonly #nowMs: () => number
  #last: { readonly atMs: number; readonly outage: PublicError } | undefined

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** A write could not be stored because of this outage. */
  failed(outage: PublicError): void {
    this.#last = { atMs: this.#nowMs(), outage }
  }

  /** Throws the outage that a write has met a moment ago. */
  check(): void {
    if (this.#last && this.#nowMs() - this.#last.atMs <= REMEMBERED_MS) throw this.#last.outage
  }
}
