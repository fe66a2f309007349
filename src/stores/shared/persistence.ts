import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from './store-outage.ts'

const RETRY_MS = 1_000

/**
 * Does something as soon as the store works again; for what must not be forgotten because of an outage, such as giving back
 * work whose lease would otherwise have to run out.
 */
export class Persistence {
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()

  /** Rejects as the work does, unless the store is out of order: then it goes on trying and resolves at once. */
  async do(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      const trying = this.#tryUntilDone(work).finally(() => this.#running.delete(trying))
      this.#running.add(trying)
    }
  }

  /** Gives up what is still to be done; the leases of a process that is gone end without it. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#running)
  }

  async #tryUntilDone(work: () => Promise<void>): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await sleep(RETRY_MS, undefined, { signal: this.#closing.signal, ref: false })
        return await work()
      } catch (error) {
        if (!isUnavailable(error)) return
      }
    }
  }
}
