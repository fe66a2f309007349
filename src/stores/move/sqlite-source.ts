import { existsSync } from 'node:fs'
import path from 'node:path'
import { makePrivate } from '../../lib/private-files.ts'
import { migrate } from '../sqlite/migrate.ts'
import { SqliteDatabase } from '../sqlite/sqlite-database.ts'
import { DATABASE_FILE } from '../sqlite/sqlite-storage.ts'
import { type MovedTable, NUMBERED } from './moved-tables.ts'
import { RowChecksum, type StoredValue } from './row-checksum.ts'

type Row = readonly StoredValue[]

/** The embedded store that is moved. No other process can open it meanwhile, so that it stays as it is. */
export class SqliteSource {
  /** The identity of this store: its first organization. */
  readonly id: string
  readonly #db: SqliteDatabase

  private constructor(db: SqliteDatabase, id: string) {
    this.#db = db
    this.id = id
  }

  /** Opens the store of a data directory and brings it to the newest schema, as every start of the service does. */
  static open(dataDir: string): SqliteSource {
    const file = path.join(dataDir, DATABASE_FILE)
    if (!existsSync(file)) throw new Error(`there is no store in ${dataDir}`)
    makePrivate(file)
    const db = SqliteDatabase.openAlone(file)
    if (!db) throw new Error(`the store in ${dataDir} is in use: stop the service first`)
    try {
      migrate(db)
      const first = db.get<{ id: string }>('SELECT id FROM organizations ORDER BY id LIMIT 1')
      if (!first) throw new Error(`the store in ${dataDir} is empty: there is nothing to move`)
      return new SqliteSource(db, first.id)
    } catch (error) {
      db.close()
      throw error
    }
  }

  columnsOf({ name }: MovedTable): string[] {
    return this.#db
      .all<{ name: string }>('SELECT name FROM pragma_table_info(?)', name)
      .map((row) => row.name)
  }

  /** The next rows behind a key, or the first ones: so many, or fewer when they have more bytes. */
  rowsAfter(table: MovedTable, after: Row | undefined, rowsMax: number, bytesMax: number): Row[] {
    const { name, key } = table
    const behind = after ? `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})` : ''
    const rows: Row[] = []
    let bytes = 0
    const found = this.#iterate(
      `${this.#select(table)} ${behind} ORDER BY ${key.map((column) => `${name}.${column}`).join(', ')}`,
      after,
    )
    for (const row of found) {
      rows.push(row)
      bytes += sizeOf(row)
      if (rows.length >= rowsMax || bytes >= bytesMax) break
    }
    return rows
  }

  checksum(table: MovedTable): RowChecksum {
    const checksum = new RowChecksum()
    for (const row of this.#iterate(this.#select(table))) checksum.add(row)
    return checksum
  }

  /** The largest number that each sequence of the database must not give out again. */
  usedNumbers(): { readonly sequence: string; readonly last: number }[] {
    return NUMBERED.map(({ sequence, used }) => ({
      sequence,
      last: Math.max(...used.map(({ table, column }) => this.#largest(table, column))),
    }))
  }

  /** For each project how far its batches are summed up, and its newest batch. */
  digestProgress(): { readonly project: number; readonly through: number; readonly newest: number }[] {
    return this.#db.all(
      `SELECT p.number AS project, max(b.id) AS newest, min(max(b.id), (SELECT through FROM digest_progress)) AS through
       FROM projects p JOIN span_batches b ON b.project_number = p.number GROUP BY p.number`,
    )
  }

  /** The parts that a table is divided into by multiples of a size of a column, as far as there are rows in them. */
  partsOf(table: string, column: string, size: number): number[] {
    return this.#db
      .all<{ part: number }>(`SELECT DISTINCT ${column} / ${size} AS part FROM ${table} ORDER BY 1`)
      .map((row) => row.part)
  }

  close(): void {
    this.#db.close()
  }

  /** Also numbers that were given out and whose rows are gone: something may still name them. */
  #largest(table: string, column: string): number {
    const row = this.#db.get<{ last: number }>(
      `SELECT max(coalesce((SELECT max(${column}) FROM ${table}), 0),
                  coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)) AS last`,
      table,
    )
    return row?.last ?? 0
  }

  #select(table: MovedTable): string {
    const columns = this.columnsOf(table).map((column) => {
      const changed = table.changed?.[column]
      return changed ? `${changed} AS ${column}` : column
    })
    return `SELECT ${columns.join(', ')} FROM ${table.name}`
  }

  #iterate(sql: string, values: Row = []): Iterable<Row> {
    const statement = this.#db.statement(sql)
    statement.setReturnArrays(true)
    return statement.iterate(...values) as unknown as Iterable<Row>
  }
}

function sizeOf(row: Row): number {
  return row.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  )
}
