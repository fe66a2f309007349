import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../../ports/logger.ts'
import type { Sql, SqlValue } from '../shared/sql.ts'
import { StoreHealth } from '../shared/store-health.ts'
import { isUnavailable, outageReason, storeUnavailable } from '../shared/store-outage.ts'
import { type Transaction, toParameter, unescapeText } from './parameters.ts'
import { locksOf, POSTGRES_DIALECT } from './postgres-dialect.ts'

/** Where the database is and how much of it may be used. */
export interface PostgresOptions {
  readonly url: string
  /** Most connections of this process, besides the one that listens. */
  readonly connectionsMax: number
  /** A statement that takes longer is ended by the server. */
  readonly statementMsMax: number
  /** How long a call waits for a connection; 5 seconds unless told otherwise. */
  readonly connectMsMax?: number
  readonly logger: Logger
}

/** Transactions that got into each other's way are tried again; this many times in all. */
const ATTEMPTS_MAX = 8
const RETRY_PAUSE_MS = 20
/** How long a call waits for a database that is away, such as during its restart, before it is refused. */
const OUTAGE_MS_MAX = 5_000
const OUTAGE_PAUSE_MS = 100
const CONNECT_MS_MAX = 5_000
const IDLE_MS_MAX = 30_000
/** A process that stands still in the middle of a transaction would hold up all others that need what it has locked. */
const STANDSTILL_MS_MAX = 60_000
/** The server ends a statement that takes too long; if nothing is heard of that either, there is no connection any more. */
const SILENCE_MS_MAX = 10_000

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const CHECK_VIOLATION = '23514'
const QUERY_CANCELED = '57014'
/** Statements that are kept prepared; conditions that are put together make more than are worth keeping. */
const PREPARED_MAX = 1_000

/** A pool of connections with prepared statements. Counts and times come back as numbers, texts as they were given. */
export class PostgresDatabase implements Sql {
  readonly dialect = POSTGRES_DIALECT
  /** Held for as long as one statement, which protects nothing: only a transaction can hold anything. */
  readonly lock = locksOf(this)
  /** The outages that its transactions have met. */
  readonly health = new StoreHealth()
  readonly #pool: pg.Pool
  readonly #config: pg.ClientConfig
  readonly #names = new Map<string, string>()
  readonly #uses = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(options: PostgresOptions) {
    const { url, connectionsMax, statementMsMax, connectMsMax = CONNECT_MS_MAX, logger } = options
    this.#config = {
      connectionString: url,
      application_name: 'assay',
      statement_timeout: statementMsMax,
      idle_in_transaction_session_timeout: STANDSTILL_MS_MAX,
      connectionTimeoutMillis: connectMsMax,
      keepAlive: true,
      types: { getTypeParser },
    }
    this.#pool = new pg.Pool({
      ...this.#config,
      query_timeout: statementMsMax + SILENCE_MS_MAX,
      max: connectionsMax,
      idleTimeoutMillis: IDLE_MS_MAX,
    })
    // A connection that breaks while it is idle is replaced by the pool; without a listener it would end the process.
    this.#pool.on('error', (error) => logger.warn({ err: error }, 'a connection to PostgreSQL has broken'))
    // One that breaks in use fails its queries, and would end the process all the same.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** A connection outside of the pool, not connected yet; for listening and for locks that belong to a session. */
  newClient(): pg.Client {
    return new pg.Client({ ...this.#config, statement_timeout: 0 })
  }

  all<T = Record<string, unknown>>(sql: string, ...values: SqlValue[]): Promise<T[]> {
    return this.#use(async (client) => (await this.#query(client, sql, values)).rows as T[])
  }

  async get<T = Record<string, unknown>>(sql: string, ...values: SqlValue[]): Promise<T | undefined> {
    return (await this.all<T>(sql, ...values))[0]
  }

  run(sql: string, ...values: SqlValue[]): Promise<number> {
    return this.#use(async (client) => (await this.#query(client, sql, values)).rowCount ?? 0)
  }

  /** Several statements at once, without values; for migrations and maintenance outside of transactions. */
  async exec(sql: string): Promise<void> {
    await this.#use((client) => client.query(sql))
  }

  /**
   * Runs statements in one transaction: all of it is stored when the promise resolves, and nothing when it rejects. Work that
   * gets into another's way is done again from its beginning, so it must do nothing but run statements.
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.#inTransaction('BEGIN ISOLATION LEVEL READ COMMITTED', work)
    } catch (error) {
      if (isUnavailable(error) && !isTooSlow(error.cause)) this.health.failed(error)
      throw error
    }
  }

  /** Runs statements that all see the same state and write nothing. */
  snapshot<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    return this.#inTransaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work)
  }

  /** Finishes what it was given, also what still waits for a connection, and refuses what comes later. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#uses).then(() => this.#pool.end())
    return this.#closing
  }

  async #use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#closing) throw new Error('the store is closed')
    const use = this.#attempt(work)
    this.#uses.add(use)
    try {
      return await use
    } finally {
      this.#uses.delete(use)
    }
  }

  /** An attempt that fails in one of these ways has changed nothing, so it can be made again. */
  async #attempt<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#withClient(work)
      } catch (error) {
        if ((!isConflict(error) && !isOutdated(error)) || attempt === ATTEMPTS_MAX) throw error
        await sleep(Math.random() * RETRY_PAUSE_MS * attempt)
      }
    }
  }

  #inTransaction<T>(begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#use(async (client) => {
      await client.query(begin)
      const tx: Transaction = {
        dialect: POSTGRES_DIALECT,
        get lock() {
          return locksOf(this)
        },
        all: async <R>(sql: string, ...values: SqlValue[]) =>
          (await this.#query(client, sql, values)).rows as R[],
        get: async <R>(sql: string, ...values: SqlValue[]) =>
          (await this.#query(client, sql, values)).rows[0] as R | undefined,
        run: async (sql, ...values) => (await this.#query(client, sql, values)).rowCount ?? 0,
        exec: async (sql) => void (await client.query(sql)),
      }
      const result = await work(tx)
      // A transaction in which a statement has failed, caught or not, is rolled back instead and says only this.
      const { command } = await client.query('COMMIT')
      if (command !== 'COMMIT') throw new Error('a statement of the transaction has failed')
      return result
    })
  }

  /** A connection in which something has failed is given up: whatever state it is in ends with it. */
  async #withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    let fault: Error | undefined
    try {
      return await use(client)
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error))
      const outage = outageReason(error)
      throw outage === undefined ? error : storeUnavailable(outage, error)
    } finally {
      await this.#release(client, fault)
    }
  }

  // Rolling back costs less than a new connection, but only a connection that still answers can do it.
  async #release(client: pg.PoolClient, fault: Error | undefined): Promise<void> {
    if (!fault) return client.release()
    const isUsable =
      (outageReason(fault) === undefined || isTooSlow(fault)) &&
      !isOutdated(fault) &&
      (await client.query('ROLLBACK').then(
        () => true,
        () => false,
      ))
    client.release(!isUsable)
  }

  /** Waits for a database that is being restarted. Nothing was sent yet, so trying again cannot do anything twice. */
  async #connect(): Promise<pg.PoolClient> {
    const untilMs = Date.now() + OUTAGE_MS_MAX
    for (;;) {
      try {
        return await this.#pool.connect()
      } catch (error) {
        const outage = outageReason(error)
        if (outage === undefined) throw error
        if (Date.now() >= untilMs) throw storeUnavailable(outage, error)
        await sleep(OUTAGE_PAUSE_MS)
      }
    }
  }

  #query(client: pg.PoolClient, sql: string, values: readonly SqlValue[]): Promise<pg.QueryResult> {
    let name = this.#names.get(sql)
    if (name === undefined && this.#names.size < PREPARED_MAX) {
      name = `s${this.#names.size}`
      this.#names.set(sql, name)
    }
    const query = { text: sql, values: values.map(toParameter) }
    return client.query(name === undefined ? query : { ...query, name })
  }
}

/** Whether a table has got more columns since the connection has prepared a statement about all of them. */
function isOutdated(error: unknown): boolean {
  return (error as { routine?: string }).routine === 'RevalidateCachedQuery'
}

/** Whether it failed only because of what others did at the same time. */
function isConflict(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  if (code === SERIALIZATION_FAILURE || code === DEADLOCK) return true
  // A row was on its way to the default partition when one of its own was attached; that check alone has no name.
  return code === CHECK_VIOLATION && constraint === undefined
}

/** Whether the server has ended a statement that took too long; the connection can still be used then. */
function isTooSlow(error: unknown): boolean {
  return (error as { code?: string }).code === QUERY_CANCELED
}

const { builtins } = pg.types
const TEXT_ARRAY = 1_009
const INT8_ARRAY = 1_016
const asNumber = (text: string) => Number(text)
const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, asNumber],
  // Sums of whole numbers.
  [builtins.NUMERIC, asNumber],
  [builtins.TEXT, unescapeText],
  [TEXT_ARRAY, arrayOf(TEXT_ARRAY, unescapeText)],
  [INT8_ARRAY, arrayOf(INT8_ARRAY, asNumber)],
])

function arrayOf(oid: number, read: (text: string) => unknown) {
  const parse = pg.types.getTypeParser(oid) as (text: string) => readonly (string | null)[]
  return (text: string) => parse(text).map((item) => (item === null ? null : read(item)))
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return (format !== 'binary' && PARSERS.get(oid)) || pg.types.getTypeParser(oid, format)
}
