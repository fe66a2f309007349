import type { Sql } from '../shared/sql.ts'
import { isUnavailable } from '../shared/store-outage.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** Something that was taken under a lease. */
interface Leased {
  readonly lease: number
}

/**
 * Takes leases of one kind, one call after the other. When the database goes away during a call it is not known whether it has
 * given them out: if it has, this process holds leases that it does not know of, and lives, so that no other process would end them
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
