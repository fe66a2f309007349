import { LOCK_CLASS } from '../postgres/lock-project.ts'
import { migrate } from '../postgres/migrate.ts'
import {
  BATCH_TABLES,
  DAILY_TABLES,
  DAY_MS,
  ensurePartitions,
  makePartition,
} from '../postgres/partitions.ts'
import { PostgresDatabase, type PostgresOptions } from '../postgres/postgres-database.ts'
import type { Sql, SqlValue } from '../shared/sql.ts'
import { MOVED_TABLES, type MovedTable } from './moved-tables.ts'
import { RowChecksum, type StoredValue } from './row-checksum.ts'
import type { SqliteSource } from './sqlite-source.ts'

/** Rows that are read at once to be checked. */
const CHECKED_ROWS = 1_000
/** Days back from now that get partitions of their own; what is older, or from the future, goes where the rest goes. */
const DAYS_BACK_MAX = 800

/** How far a table has come. */
export interface TableProgress {
  /** The key of the last row that was moved. */
  readonly after: readonly StoredValue[] | undefined
  readonly isDone: boolean
}

/** The database that a store is moved to. How far it has come is stored there, together with the rows. */
export class PostgresTarget {
  readonly #db: PostgresDatabase
  /** A connection without a limit of time, which also keeps others from moving a store here. */
  readonly #session: ReturnType<PostgresDatabase['newClient']>
  /** Of the columns of a table. */
  readonly #types = new Map<string, ReadonlyMap<string, string>>()

  private constructor(db: PostgresDatabase) {
    this.#db = db
    this.#session = db.newClient()
    // Its queries fail with the same error.
    this.#session.on('error', () => {})
  }

  static async open(options: PostgresOptions): Promise<PostgresTarget> {
    const target = new PostgresTarget(new PostgresDatabase(options))
    try {
      await migrate(target.#db)
      await target.#session.connect()
      const { rows } = await target.#session.query('SELECT pg_try_advisory_lock($1, 0) AS is_mine', [
        LOCK_CLASS.move,
      ])
      if (!rows[0].is_mine) throw new Error('somebody else is moving a store to this database')
      return target
    } catch (error) {
      await target.close()
      throw error
    }
  }

  /** Takes the database for a store, or goes on with it; refuses one that holds anything else. */
  async begin(source: SqliteSource): Promise<void> {
    const begun = await this.#db.get<{ source: string; finished_at: Date | null }>(
      'SELECT source, finished_at FROM store_moves',
    )
    if (begun?.finished_at)
      throw new Error(`a store was moved to this database already, on ${begun.finished_at.toISOString()}`)
    if (begun && begun.source !== source.id)
      throw new Error('this database holds a part of another store; move to an empty one')
    if (begun) return
    const isUsed = MOVED_TABLES.map(({ name }) => `EXISTS (SELECT 1 FROM ${name})`).join(' OR ')
    const found = await this.#db.get<{ is_used: boolean }>(`SELECT ${isUsed} AS is_used`)
    if (found?.is_used) throw new Error('this database is not empty; move to an empty one')
    await this.#db.run('INSERT INTO store_moves (source) VALUES ($1)', source.id)
  }

  /** Makes partitions for what will come, so that it can be dropped part by part later. */
  async makePartitions(source: SqliteSource, nowMs: number): Promise<void> {
    const today = Math.floor(nowMs / DAY_MS)
    const isNear = (day: number) => day > today - DAYS_BACK_MAX && day <= today
    for (const table of DAILY_TABLES) {
      const days = source.partsOf(table.name, table.column, table.size).filter(isNear)
      for (const day of days) await this.#db.transaction((tx) => makePartition(tx, table, day))
    }
    for (const table of BATCH_TABLES) {
      const ranges = source.partsOf(table.name, table.column, table.size)
      for (const range of ranges) await this.#db.transaction((tx) => makePartition(tx, table, range))
    }
  }

  async progressOf({ name }: MovedTable): Promise<TableProgress> {
    const row = await this.#db.get<{ last_key: string | null; is_done: number }>(
      'SELECT last_key, is_done FROM store_move_tables WHERE name = $1',
      name,
    )
    const after = row?.last_key ? (JSON.parse(row.last_key, reviveBytes) as StoredValue[]) : undefined
    return { after, isDone: row?.is_done === 1 }
  }

  /** Stores rows and how far the table has come with them, or nothing. */
  async append(
    table: MovedTable,
    columns: readonly string[],
    rows: readonly (readonly StoredValue[])[],
    isDone: boolean,
  ): Promise<void> {
    const types = await this.#typesOf(table, columns)
    await this.#db.transaction(async (tx) => {
      if (rows.length > 0) await insertRows(tx, table, columns, types, rows)
      const last = rows.at(-1)
      const lastKey = last && JSON.stringify(keyOf(table, columns, last), replaceBytes)
      await tx.run(
        `INSERT INTO store_move_tables (name, last_key, is_done) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET last_key = coalesce(excluded.last_key, store_move_tables.last_key),
           is_done = excluded.is_done`,
        table.name,
        lastKey ?? null,
        Number(isDone),
      )
    })
  }

  async checksum({ name }: MovedTable, columns: readonly string[]): Promise<RowChecksum> {
    const checksum = new RowChecksum()
    const client = this.#session
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query(`DECLARE checked NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${name}`)
    for (let isRead = false; !isRead; ) {
      const { rows } = await client.query({ text: `FETCH ${CHECKED_ROWS} FROM checked`, rowMode: 'array' })
      for (const row of rows) checksum.add(row as StoredValue[])
      isRead = rows.length < CHECKED_ROWS
    }
    await client.query('ROLLBACK')
    return checksum
  }

  /** Makes the database ready to be used: from here on it gives out numbers and sums batches up by itself. */
  async finish(source: SqliteSource): Promise<void> {
    const progress = source.digestProgress()
    await this.#db.transaction(async (tx) => {
      for (const { sequence, last } of source.usedNumbers())
        if (last > 0) await tx.run('SELECT setval($1::text::regclass, $2)', sequence, last)
      await tx.run(
        `INSERT INTO digest_progress (project_number, through, newest)
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
         ON CONFLICT (project_number) DO UPDATE SET through = excluded.through, newest = excluded.newest`,
        progress.map((row) => row.project),
        progress.map((row) => row.through),
        progress.map((row) => row.newest),
      )
      await tx.run('UPDATE store_moves SET finished_at = now()')
    })
    await ensurePartitions(this.#db, Date.now())
    await this.#session.query('ANALYZE')
  }

  async close(): Promise<void> {
    await this.#session.end().catch(() => {})
    await this.#db.close()
  }

  async #typesOf({ name }: MovedTable, columns: readonly string[]): Promise<readonly string[]> {
    const types = this.#types.get(name) ?? (await this.#readTypes(name))
    this.#types.set(name, types)
    return columns.map((column) => {
      const type = types.get(column)
      if (!type) throw new Error(`the database has no ${name}.${column}`)
      return type
    })
  }

  async #readTypes(table: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#db.all<{ name: string; type: string }>(
      `SELECT attname::text AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
       WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped`,
      table,
    )
    return new Map(rows.map((row) => [row.name, row.type]))
  }
}

async function insertRows(
  tx: Sql,
  { name }: MovedTable,
  columns: readonly string[],
  types: readonly string[],
  rows: readonly (readonly StoredValue[])[],
): Promise<void> {
  const lists = columns.map((_, at): SqlValue => rows.map((row) => row[at] as StoredValue))
  const places = types.map((type, at) => `$${at + 1}::${type}[]`)
  await tx.run(
    `INSERT INTO ${name} (${columns.join(', ')}) SELECT * FROM unnest(${places.join(', ')})`,
    ...lists,
  )
}

function keyOf({ key }: MovedTable, columns: readonly string[], row: readonly StoredValue[]): StoredValue[] {
  return key.map((column) => row[columns.indexOf(column)] as StoredValue)
}

// JSON has no bytes. A buffer has made an object of itself before it comes here.
function replaceBytes(this: unknown, key: string, value: unknown): unknown {
  const given = (this as Record<string, unknown>)[key]
  return given instanceof Uint8Array ? { hex: Buffer.from(given).toString('hex') } : value
}

function reviveBytes(_key: string, value: unknown): unknown {
  const hex = (value as { hex?: unknown } | null)?.hex
  return typeof hex === 'string' ? Buffer.from(hex, 'hex') : value
}
