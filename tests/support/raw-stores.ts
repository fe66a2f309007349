import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { countUnits } from '../../src/domain/unit-set.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { openPostgresStorage } from '../../src/stores/postgres/postgres-storage.ts'
import { DATABASE_FILE, openSqliteStorage } from '../../src/stores/sqlite/sqlite-storage.ts'
import { bareDatabase } from './postgres-store.ts'
import { recordingLogger } from './recording-logger.ts'
import { startInProcess } from './storage-in-process.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { rowValues } from './test-store.ts'

/** A store that can run out of room, and what stands in it. */
export interface RawStore {
  open(): Promise<Storage>
  /** From now on, and when it is opened again, it has no room for anything new. */
  fill(): Promise<void>
  enlarge(): Promise<void>
  contents(): Promise<Buffer[]>
  run(sql: string): Promise<void>
  readonly migrations: string
}

/** The embedded store; with a number of pages at which it is full, until it is enlarged. */
export function rawSqlite(pages?: number): RawStore {
  const dataDir = temporaryDirectory()
  let pagesMax = pages
  return {
    open: () =>
      openSqliteStorage({
        dataDir,
        readerThreads: 1,
        startThread: startInProcess,
        ...(pagesMax ? { pagesMax } : {}),
      }),
    // It fills up by itself, and a file cannot be made smaller than it is.
    async fill() {},
    async enlarge() {
      pagesMax = undefined
    },
    async contents() {
      const names = readdirSync(dataDir).filter((name) => name.startsWith(DATABASE_FILE))
      return names.map((name) => readFileSync(path.join(dataDir, name)))
    },
    async run(sql) {
      const db = new DatabaseSync(path.join(dataDir, DATABASE_FILE), { timeout: 5_000 })
      db.function('count_units', (units) => countUnits(units as Uint8Array))
      db.exec(sql)
      db.close()
    },
    migrations: path.join(import.meta.dirname, '../../src/stores/sqlite/migrations'),
  }
}

/** A database of its own. */
export async function rawPostgres(): Promise<RawStore> {
  const url = await bareDatabase()
  const use = async <T>(act: (client: pg.Client) => Promise<T>) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return act(client).finally(() => client.end())
  }
  const run = (sql: string) => use(async (client) => void (await client.query(sql)))
  const tables = ['traces', 'trace_places', 'span_batches']
  return {
    open: () =>
      openPostgresStorage({
        ...{ url, connectionsMax: 4, statementMsMax: 30_000, logger: recordingLogger([]) },
      }),
    // As a server says it whose disk is full.
    fill: () =>
      run(`CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
           BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
           ${tables.map((name) => `CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT ON ${name} FOR EACH ROW EXECUTE FUNCTION full_disk();`).join('\n')}`),
    enlarge: () => run(tables.map((name) => `DROP TRIGGER IF EXISTS full_disk ON ${name};`).join('\n')),
    contents: () => use(rowValues),
    run,
    migrations: path.join(import.meta.dirname, '../../src/stores/postgres/migrations'),
  }
}
