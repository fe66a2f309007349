import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../sql/store-outage.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import type { Sql } from './sql.ts'

const RETRY_MS = 1_000

/** Something that was taken under a lease. */
interface Leased {
  readonly lease: number
}

/**
 * Takes things of one kind, one call after the other. When the database goes away during a call it is not known whether it has
 * given them out: if it has, this process holds leases that it does not know of, and lives, so that nobody would end them
 * before they run out. So before the next call everything is given back that came behind the last lease that is known.
 */
export class Claims<Taken extends Leased> {
  readonly #db: PostgresDatabase
  readonly #giveBackAfter: (tx: Sql, lease: number) => Promise<unknown>
  #lastKnown = 0
  #isInDoubt = false

  constructor(db: PostgresDatabase, giveBackAfter: (tx: Sql, lease: number) => Promise<unknown>) {
    this.#db = db
    this.#giveBackAfter = giveBackAfter
  }

  async take(take: (tx: Sql) => Promise<Taken[]>): Promise<Taken[]> {
    if (this.#isInDoubt) {
      await this.#db.transaction((tx) => this.#giveBackAfter(tx, this.#lastKnown))
      this.#isInDoubt = false
    }
    const taken = await this.#db.transaction(take).catch((error) => {
      if (isUnavailable(error)) this.#isInDoubt = true
      throw error
    })
    for (const { lease } of taken) this.#lastKnown = Math.max(this.#lastKnown, lease)
    return taken
  }
}

/** Does something as soon as the database is there again; for what must not be forgotten because of an outage. */
export class Persistence {
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()

  /** Rejects as the work does, unless the database is away: then it goes on trying and resolves at once. */
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
