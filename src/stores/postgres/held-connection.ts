import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from '../../ports/logger.ts'
import type { Hint } from '../../ports/storage.ts'
import { LOCK_CLASS } from './lock-project.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { findOrphans, releaseHolders } from './release-orphans.ts'

const CHANNEL = 'assay'
const HINTS: readonly Hint[] = ['spans', 'setups', 'jobs']
/** Hints of one kind are sent at most this often: each costs a commit on the server. */
const HINT_PAUSE_MS = 20
/** How often leases of processes that are gone are looked for, and a lost connection is opened again. */
const LOOK_MS = 1_000
const MISSED_LOOKS = 3
const GOODBYE_MS_MAX = 1_000
/** A connection that does not answer for so long is broken. */
const ANSWER_MS_MAX = 5_000

/**
 * The one connection of this process that stays. It stands for the process: it holds a lock that ends with it, so that others
 * can tell at once which leases have lost their worker. And it hears what other processes have done. Neither is needed for
 * anything to be right: leases run out by themselves, and every process looks for work from time to time.
 */
export class HeldConnection {
  readonly holder: number
  readonly #db: PostgresDatabase
  readonly #logger: Logger
  readonly #listeners = new Set<(hint: Hint) => void>()
  readonly #pausing = new Map<Hint, boolean>()
  readonly #timer: NodeJS.Timeout
  #client: pg.Client | undefined
  #turn: Promise<void> = Promise.resolve()
  #missing: ReadonlyMap<number, number> = new Map()
  #looking: Promise<void> | undefined
  #isClosed = false

  private constructor(db: PostgresDatabase, holder: number, logger: Logger) {
    this.#db = db
    this.holder = holder
    this.#logger = logger
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
  }

  static async open(db: PostgresDatabase, logger: Logger): Promise<HeldConnection> {
    const row = await db.get<{ number: number }>("SELECT nextval('holder_numbers') AS number")
    const held = new HeldConnection(db, row?.number as number, logger)
    try {
      await held.#connect()
    } catch (error) {
      await held.close()
      throw error
    }
    return held
  }

  onHint(listener: (hint: Hint) => void): void {
    this.#listeners.add(listener)
  }

  /** Tells the other processes, soon and without waiting for it. A hint that gets lost costs them a pause. */
  hint(hint: Hint): void {
    const isPausing = this.#pausing.has(hint)
    this.#pausing.set(hint, isPausing)
    if (isPausing || this.#isClosed) return
    void this.#send(hint)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#looking
    // A server that is not there any more does not say goodbye.
    await Promise.race([
      this.#client?.end().catch(() => {}),
      sleep(GOODBYE_MS_MAX, undefined, { ref: false }),
    ])
  }

  async #send(hint: Hint): Promise<void> {
    const client = this.#client
    const sending =
      client && this.#inTurn(client, 'SELECT pg_notify($1, $2)', CHANNEL, `${this.holder} ${hint}`)
    await Promise.all([sending?.catch(() => {}), sleep(HINT_PAUSE_MS, undefined, { ref: false })])
    const isAsked = this.#pausing.get(hint)
    this.#pausing.delete(hint)
    if (isAsked && !this.#isClosed) this.hint(hint)
  }

  /** A connection runs one statement at a time, and its driver wants to be given no more than that. */
  #inTurn(client: pg.Client, text: string, ...values: (number | string)[]): Promise<void> {
    const said = this.#turn.then(() => ask(client, text, ...values))
    this.#turn = said.catch(() => {})
    return said
  }

  #look(): void {
    this.#looking ??= this.#lookNow()
      .catch((error) => this.#logger.warn({ err: error }, 'the held connection to PostgreSQL is interrupted'))
      .finally(() => {
        this.#looking = undefined
      })
  }

  async #lookNow(): Promise<void> {
    if (this.#client) await this.#check(this.#client)
    if (!this.#client) {
      await this.#connect()
      this.#missing = new Map()
      // Hints sent meanwhile were not heard, so every one of them may be due.
      for (const hint of HINTS) this.#tell(hint)
    }
    if (this.#client) await this.#releaseMissing()
  }

  /**
   * A process that was missing at several looks in a row is gone; a restart of the database takes away the connections
   * of the living too.
   */
  async #releaseMissing(): Promise<void> {
    const orphans = await findOrphans(this.#db)
    const missing = new Map(orphans.map((holder) => [holder, (this.#missing.get(holder) ?? 0) + 1]))
    this.#missing = missing
    await releaseHolders(
      this.#db,
      orphans.filter((holder) => (missing.get(holder) ?? 0) >= MISSED_LOOKS),
    )
  }

  /** A connection that breaks without a word, as when a machine goes away, is found out by asking. */
  async #check(client: pg.Client): Promise<void> {
    try {
      await this.#inTurn(client, 'SELECT 1')
    } catch {
      if (this.#client === client) this.#client = undefined
      end(client)
    }
  }

  async #connect(): Promise<void> {
    const client = this.#db.newClient()
    const lose = () => {
      if (this.#client === client) this.#client = undefined
    }
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', ({ payload = '' }) => this.#hear(payload))
    try {
      await client.connect()
      await ask(client, 'SELECT pg_advisory_lock_shared($1, $2::bigint::int)', LOCK_CLASS.holder, this.holder)
      await ask(client, `LISTEN ${CHANNEL}`)
    } catch (error) {
      end(client)
      throw error
    }
    if (this.#isClosed) return end(client)
    this.#client = client
  }

  #hear(payload: string): void {
    const [holder, hint] = payload.split(' ')
    const known = HINTS.find((name) => name === hint)
    if (known !== undefined && Number(holder) !== this.holder) this.#tell(known)
  }

  #tell(hint: Hint): void {
    for (const listener of this.#listeners) listener(hint)
  }
}

/** Rejects when there is no answer, which no event would report. */
async function ask(client: pg.Client, text: string, ...values: (number | string)[]): Promise<void> {
  await client.query({ text, values, query_timeout: ANSWER_MS_MAX } as pg.QueryConfig)
}

/** Without waiting for a server that may not be there to say goodbye. */
function end(client: pg.Client): void {
  client.end().catch(() => {})
}
