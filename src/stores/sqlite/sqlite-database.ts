import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { countUnits } from '../../domain/unit-set.ts'

type Row = Record<string, unknown>

/** How long a statement waits for another process, such as the command line, to finish its own write. */
const BUSY_TIMEOUT_MS = 5_000
/** The result code of SQLite when another process holds the file. */
const SQLITE_BUSY = 5

/** `$1`, as the statements of both stores write a place. */
const PLACES = /\$(\d+)/g

/** One connection with its prepared statements. Places are `$1` or `?`. Lives in one thread; nothing here is asynchronous. */
export class SqliteDatabase {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  private constructor(db: DatabaseSync) {
    this.#db = db
  }

  /**
   * Opens the one connection that writes. WAL lets readers go on beside it; FULL makes a commit reach the disk before
   * it returns, which is what an acknowledged write means here (macOS needs fullfsync for the same).
   */
  static openWriter(file: string): SqliteDatabase {
    const database = new SqliteDatabase(new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS }))
    database.#prepareToWrite()
    return database
  }

  /** Opens the file exclusively, within this process and among others; undefined when it is open already. */
  static openAlone(file: string): SqliteDatabase | undefined {
    const database = new SqliteDatabase(new DatabaseSync(file))
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE')
      database.#prepareToWrite()
      // The lock is taken by the first write and kept from then on.
      database.exec('BEGIN IMMEDIATE')
      database.exec('COMMIT')
      return database
    } catch (error) {
      database.close()
      if (isBusy(error)) return undefined
      throw error
    }
  }

  /** Opens a connection that can only read. The file must exist. */
  static openReader(file: string): SqliteDatabase {
    const database = new SqliteDatabase(new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }))
    database.#addFunctions()
    return database
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  /** All rows. Never hands out an open cursor: one held across an await would keep the WAL from being reset. */
  all<T = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#prepare(sql).all(...values) as T[]
  }

  get<T = Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#prepare(sql).get(...values) as T | undefined
  }

  /** Runs a statement and tells how many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes)
  }

  /** The key that the last insert into a table with a numbered key was given. */
  lastInsertedId(): number {
    return Number(this.get<{ id: number | bigint }>('SELECT last_insert_rowid() AS id')?.id)
  }

  /** A statement for a loop that runs it many times. */
  statement(sql: string): StatementSync {
    return this.#prepare(sql)
  }

  /** Writes the log back and empties it; false when a reader still uses it after waiting for so long. */
  truncateLog(waitMs: number): boolean {
    this.exec(`PRAGMA busy_timeout = ${waitMs}`)
    try {
      return this.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0
    } finally {
      this.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  close(): void {
    this.#db.close()
  }

  #prepareToWrite(): void {
    this.exec('PRAGMA journal_mode = WAL')
    this.exec('PRAGMA synchronous = FULL')
    this.exec('PRAGMA fullfsync = ON')
    this.exec('PRAGMA checkpoint_fullfsync = ON')
    this.exec('PRAGMA foreign_keys = ON')
    // Deleted data is overwritten with zeros; otherwise it would stay readable in the free parts of the file.
    this.exec('PRAGMA secure_delete = ON')
    this.#addFunctions()
  }

  #addFunctions(): void {
    this.#db.function('count_units', { deterministic: true }, (units) => countUnits(units as Uint8Array))
    this.#db.function('now_ms', () => Date.now())
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql.replace(PLACES, '?$1'))
      this.#statements.set(sql, statement)
    }
    return statement
  }
}

/** Whether another connection, in this process or another, holds a lock on the file. */
export function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_BUSY
}
