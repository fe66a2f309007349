import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import { migrate } from '../../src/stores/postgres/migrate.ts'
import { PostgresDatabase } from '../../src/stores/postgres/postgres-database.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { recordingLogger } from './recording-logger.ts'

const MIGRATIONS = path.join(import.meta.dirname, '../../src/stores/postgres/migrations')

let server: Promise<PostgresServer> | undefined
const free: string[] = []
// Here and not where they are made: within a test they would go with that test.
after(async () => {
  for (const url of free.splice(0)) await dropDatabase(url)
})

/** The server that tests use: the one that TEST_DATABASE_URL names, otherwise one that ends with this process. */
function testServer(): Promise<{ readonly url: string }> {
  const url = process.env['TEST_DATABASE_URL']
  if (url) return Promise.resolve({ url })
  server ??= startPostgres({ isDurable: false })
  return server
}

/** A new database with the newest schema and nothing in it; it is dropped when the test, or the test file, ends. */
export async function emptyDatabase(): Promise<string> {
  const url = await makeDatabase()
  after(() => dropDatabase(url))
  return url
}

async function makeDatabase(): Promise<string> {
  const { url } = await testServer()
  const template = await templateOf(url)
  const name = `assay_test_${randomBytes(8).toString('hex')}`
  await atServer(url, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`),
  )
  return databaseUrl(url, name)
}

async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await atServer(databaseUrl(url, 'postgres'), (client) =>
    client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  )
}

/**
 * An empty database that may have served another test before; it goes to the next one when this test ends. Emptying one takes a
 * tenth of the time that making one takes. For tests that leave tables as they are.
 */
export async function recycledDatabase(): Promise<string> {
  const known = free.pop()
  const url = known ?? (await makeDatabase())
  if (known) await atServer(known, (client) => client.query(EMPTY))
  after(() => free.push(url))
  return url
}

/** Ends the remaining connections, deletes all rows and has every number begin at 1 again. */
const EMPTY = `DO $$
  DECLARE name text;
  BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
      AND relnamespace = 'public'::regnamespace AND relname <> 'schema_versions'
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
    FOR name IN SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace
    LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', name); END LOOP;
  END $$`

/** A database that was never used, without any schema. */
export async function bareDatabase(): Promise<string> {
  const { url } = await testServer()
  const name = `assay_test_${randomBytes(8).toString('hex')}`
  await atServer(url, (client) => client.query(`CREATE DATABASE ${name}`))
  const made = databaseUrl(url, name)
  after(() => dropDatabase(made))
  return made
}

/** A database that others are copied from; made once for each state of the schema, by the first test that needs it. */
async function templateOf(url: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(path.join(MIGRATIONS, file)))
  const name = `assay_template_${hash.digest('hex').slice(0, 16)}`
  await atServer(url, async (client) => {
    await client.query('SELECT pg_advisory_lock(61099)')
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (found.rowCount) return
    const unfinished = `${name}_${randomBytes(4).toString('hex')}`
    await client.query(`CREATE DATABASE ${unfinished}`)
    const logger = recordingLogger([])
    const db = new PostgresDatabase({
      url: databaseUrl(url, unfinished),
      connectionsMax: 1,
      statementMsMax: 300_000,
      connectMsMax: 300_000,
      logger,
    })
    await migrate(db)
    await db.close()
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`)
  })
  return name
}

/** Uses one connection to the server or database that the address names. */
export async function atServer<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

function databaseUrl(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
