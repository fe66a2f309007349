import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type pg from 'pg'
import { DATABASE_FILE } from '../../src/stores/sqlite/sqlite-storage.ts'
import { atServer } from './postgres-store.ts'
import type { Callable } from './spans.ts'

// Stores that an earlier version of Assay wrote, kept under tests/testdata/stores: the SQLite file as it is, PostgreSQL as the
// statements that bring its tables and rows back. `npm run keep-store` writes them before a schema change.

/** The folder of kept stores. */
export const KEPT_STORES_DIR = path.join(import.meta.dirname, '../testdata/stores')

/** The answers that a client got from a kept store when it was written. */
export interface SeenAnswers {
  readonly atMs: number
  readonly answers: Readonly<Record<string, unknown>>
}

/** Requests whose answers must not change when a newer version opens the store. */
export const SEEN_PATHS: readonly string[] = [
  '/v2/auto-monitor-setups',
  '/v2/evaluations?limit=100',
  '/v2/traces?limit=100',
  '/v2/sessions?limit=100',
  '/v2/scores?limit=100',
  '/v2/monitors',
  '/v2/jobs',
  '/v2/budgets',
  '/v2/projects',
  '/v2/api-keys',
]

/** Asks a service for everything that a kept store is compared by. */
export async function seenAnswers(service: Callable): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  for (const address of SEEN_PATHS) {
    const { status, json, text } = await service.call('GET', address)
    if (status !== 200) throw new Error(`GET ${address}: ${status} ${text}`)
    answers[address] = json
  }
  return answers
}

/** The file of a kept store. */
export function keptFile(name: string, kind: 'sqlite' | 'postgres' | 'answers'): string {
  const suffix = kind === 'answers' ? 'json' : `${kind}.zst`
  return path.join(KEPT_STORES_DIR, `${name}.${suffix}`)
}

/** Writes the file of a data directory whose service has ended into a kept store. */
export async function keepSqlite(name: string, dataDir: string): Promise<void> {
  const file = path.join(dataDir, DATABASE_FILE)
  const db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  await writeFile(keptFile(name, 'sqlite'), zstdCompressSync(await readFile(file)))
}

/** Puts a kept SQLite store into an empty data directory. */
export async function bringBackSqlite(name: string, dataDir: string): Promise<void> {
  const bytes = zstdDecompressSync(await readFile(keptFile(name, 'sqlite')))
  await writeFile(path.join(dataDir, DATABASE_FILE), bytes)
}

/** One table of a kept PostgreSQL store: its rows as PostgreSQL writes them, and the partitions it had. */
interface KeptTable {
  readonly name: string
  readonly partitions: readonly { readonly name: string; readonly bound: string }[]
  readonly rows: readonly string[]
}

interface KeptDatabase {
  /** The migrations that had been applied; they never change, so the schema follows from them. */
  readonly versions: readonly number[]
  readonly tables: readonly KeptTable[]
  readonly sequences: Readonly<Record<string, string>>
}

/** Writes all rows of a database into a kept store. */
export async function keepPostgres(name: string, url: string): Promise<void> {
  const kept = await atServer(url, async (client): Promise<KeptDatabase> => {
    const versions = await client.query('SELECT version::int AS version FROM schema_versions ORDER BY 1')
    const tables = await client.query(
      `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
       AND relnamespace = 'public'::regnamespace AND relname <> 'schema_versions' ORDER BY 1`,
    )
    const sequences = await client.query(
      `SELECT relname AS name, coalesce(pg_sequence_last_value(oid), 0)::text AS last FROM pg_class
       WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    )
    const keptTables: KeptTable[] = []
    for (const { name: table } of tables.rows) keptTables.push(await keepTable(client, table))
    return {
      versions: versions.rows.map(({ version }) => version),
      tables: keptTables,
      sequences: Object.fromEntries(sequences.rows.map(({ name: sequence, last }) => [sequence, last])),
    }
  })
  await writeFile(keptFile(name, 'postgres'), zstdCompressSync(JSON.stringify(kept)))
}

async function keepTable(client: pg.Client, name: string): Promise<KeptTable> {
  const partitions = await client.query(
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = $1::text::regclass AND c.relname <> $1 || '_rest' ORDER BY 1`,
    [name],
  )
  const { rows } = await client.query(`SELECT t::text AS row FROM "${name}" AS t`)
  return { name, partitions: partitions.rows, rows: rows.map(({ row }) => row) }
}

/** Puts a kept PostgreSQL store into a database that has no schema yet, with the migrations of that time only. */
export async function bringBackPostgres(name: string, url: string, migrationsDir: string): Promise<void> {
  const kept = JSON.parse(
    zstdDecompressSync(await readFile(keptFile(name, 'postgres'))).toString(),
  ) as KeptDatabase
  await atServer(url, async (client) => {
    await client.query(
      `CREATE TABLE schema_versions (
         version BIGINT PRIMARY KEY, oldest_program BIGINT NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())`,
    )
    for (const version of kept.versions) {
      await client.query(await readFile(await migrationFile(migrationsDir, version), 'utf8'))
      await client.query('INSERT INTO schema_versions VALUES ($1, 0)', [version])
    }
    // Rows come in the order of table names, so what they refer to may come later.
    await client.query('SET session_replication_role = replica')
    for (const table of kept.tables) await bringBackTable(client, table)
    for (const [sequence, last] of Object.entries(kept.sequences))
      if (last !== '0') await client.query('SELECT setval($1::text::regclass, $2)', [sequence, last])
  })
}

async function bringBackTable(client: pg.Client, { name, partitions, rows }: KeptTable): Promise<void> {
  for (const { name: partition, bound } of partitions)
    await client.query(
      `CREATE TABLE "${partition}" (LIKE "${name}_rest" INCLUDING ALL);
       ALTER TABLE "${name}" ATTACH PARTITION "${partition}" ${bound}`,
    )
  // Tables may have rows from their migration already.
  await client.query(`DELETE FROM "${name}"`)
  for (const row of rows) await client.query(`INSERT INTO "${name}" SELECT ($1::text::"${name}").*`, [row])
}

async function migrationFile(dir: string, version: number): Promise<string> {
  const prefix = `${String(version).padStart(4, '0')}-`
  const found = (await readdir(dir)).find((file) => file.startsWith(prefix))
  if (!found) throw new Error(`migration ${version} is gone`)
  return path.join(dir, found)
}
