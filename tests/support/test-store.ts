import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'
import { openStorage } from '../../src/app/open-storage.ts'
import { readConfig } from '../../src/config.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { DATABASE_FILE } from '../../src/stores/sqlite/sqlite-storage.ts'
import { emptyDatabase } from './postgres-store.ts'
import { recordingLogger } from './recording-logger.ts'

type Value = string | number | Uint8Array
type Row = Record<string, unknown>

/** The store of a service, seen past the service. Both kinds have the same tables and columns. */
export interface TestStore {
  readonly kind: 'sqlite' | 'postgres'
  /** The settings that make a service use it. */
  readonly env: Readonly<Record<string, string>>
  /** Places of values are `?`. */
  all<T = Row>(sql: string, ...values: Value[]): Promise<T[]>
  run(sql: string, ...values: Value[]): Promise<number>
  /** Bytes as they are written in a statement. */
  literal(hex: string): string
  tableNames(): Promise<string[]>
  /** Makes the store fail when a row with that value is to be stored. */
  refuse(table: string, column: string, value: string): Promise<void>
  /** All that stands in its files; in its rows where a server owns the files. */
  contents(): Promise<Buffer[]>
  open(): Promise<Storage>
}

const stores = new Map<string, Promise<TestStore>>()

/** The store that belongs to a data directory: a file in it, or a database if the tests are run with that. */
export function testStore(dataDir: string): Promise<TestStore> {
  const known = stores.get(dataDir)
  if (known) return known
  const made = isOnPostgres() ? postgresStore(dataDir) : Promise.resolve(sqliteStore(dataDir))
  stores.set(dataDir, made)
  return made
}

/** Whether the tests were asked to use PostgreSQL instead of the embedded store. */
export function isOnPostgres(): boolean {
  return process.env['TEST_STORE'] === 'postgres'
}

function sqliteStore(dataDir: string): TestStore {
  const use = <T>(use: (db: DatabaseSync) => T): Promise<T> => {
    // The service goes on meanwhile, and each waits for the other's lock.
    const db = new DatabaseSync(path.join(dataDir, DATABASE_FILE), { timeout: 300_000 })
    try {
      db.exec('PRAGMA foreign_keys = OFF')
      return Promise.resolve(use(db))
    } finally {
      db.close()
    }
  }
  const env = { ASSAY_DATA_DIR: dataDir }
  const all = <T>(sql: string, ...values: Value[]) =>
    use((db) => db.prepare(sql).all(...(values as SQLInputValue[])) as T[])
  return {
    kind: 'sqlite',
    env,
    all,
    run: (sql, ...values) => use((db) => Number(db.prepare(sql).run(...values).changes)),
    literal: (hex) => `x'${hex}'`,
    tableNames: async () =>
      (await all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")).map(
        ({ name }) => name,
      ),
    refuse: (table, column, value) =>
      use((db) =>
        db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON ${table} WHEN NEW.${column} = '${value}'
                 BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`),
      ),
    async contents() {
      const names = (await readdir(dataDir)).filter((name) => name.startsWith(DATABASE_FILE))
      return Promise.all(names.map((name) => readFile(path.join(dataDir, name))))
    },
    open: () => openWith(env),
  }
}

async function postgresStore(dataDir: string): Promise<TestStore> {
  const url = await emptyDatabase()
  const env = { ASSAY_DATA_DIR: dataDir, ASSAY_DATABASE_URL: url }
  const use = async <T>(use: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: url, types: { getTypeParser } })
    await client.connect()
    try {
      return await use(client)
    } finally {
      await client.end()
    }
  }
  const query = (sql: string, values: readonly Value[]) => {
    let place = 0
    return use((client) =>
      client.query(
        sql.replace(/\?/g, () => `$${++place}`),
        values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
      ),
    )
  }
  return {
    kind: 'postgres',
    env,
    all: async <T>(sql: string, ...values: Value[]) => (await query(sql, values)).rows as T[],
    run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
    literal: (hex) => `'\\x${hex}'::bytea`,
    tableNames: async () =>
      (
        await query(
          "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
          [],
        )
      ).rows.map(({ relname }) => relname),
    refuse: async (table, column, value) => {
      await query(`ALTER TABLE ${table} ADD CONSTRAINT refuse CHECK (${column} <> '${value}')`, [])
    },
    contents: () => use(rowValues),
    open: () => openWith(env),
  }
}

/** Every value of every row, one by one. */
export async function rowValues(client: pg.Client): Promise<Buffer[]> {
  const tables = await client.query(
    `SELECT relname FROM pg_class
     WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND NOT relispartition`,
  )
  const values: Buffer[] = []
  for (const { relname } of tables.rows) {
    const { rows } = await client.query({ text: `SELECT * FROM "${relname}"`, rowMode: 'array' })
    for (const value of rows.flat()) {
      if (Buffer.isBuffer(value)) values.push(value)
      else if (value !== null) values.push(Buffer.from(String(value)))
    }
  }
  return values
}

function openWith(env: Readonly<Record<string, string>>): Promise<Storage> {
  return openStorage(readConfig(env).config, recordingLogger([]))
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)
}
