import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { bareDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { openSmallDatabase } from '../../../tests/support/small-database.ts'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { migrate } from './migrate.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { openPostgresStorage } from './postgres-storage.ts'

const MIGRATIONS = path.join(import.meta.dirname, 'migrations')

/** The migrations of a program that knows one more than this. */
function newerMigrations(sql: string): string {
  const directory = temporaryDirectory()
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'))
  for (const file of files) copyFileSync(path.join(MIGRATIONS, file), path.join(directory, file))
  writeFileSync(path.join(directory, `${String(files.length + 1).padStart(4, '0')}-more.sql`), sql)
  return directory
}

async function versions(db: PostgresDatabase): Promise<number[]> {
  const rows = await db.all<{ version: number }>('SELECT version FROM schema_versions ORDER BY version')
  return rows.map(({ version }) => version)
}

describe('migrate', () => {
  test('is done once when ten processes start on a database that was never used', async () => {
    const url = await bareDatabase()
    const options = {
      url,
      connectionsMax: 2,
      statementMsMax: 300_000,
      connectMsMax: 300_000,
      logger: recordingLogger([]),
    }
    const storages = await Promise.all(Array.from({ length: 10 }, () => openPostgresStorage(options)))
    assert.deepEqual(
      await Promise.all(storages.map((storage) => storage.system.isEmpty())),
      Array(10).fill(true),
    )
    await Promise.all(storages.map((storage) => storage.close()))
    const known = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql')).length
    assert.equal((await versions(openSmallDatabase(url))).length, known)
  })

  test('lets an older program work on a database that only has more than it knows', async () => {
    const db = openSmallDatabase(await bareDatabase())
    await migrate(db, newerMigrations('ALTER TABLE projects ADD COLUMN colour TEXT'))
    const newest = (await versions(db)).at(-1)
    await migrate(db)
    assert.equal((await versions(db)).at(-1), newest)
    await db.run("INSERT INTO organizations VALUES ('o', 'o', 0, 1, 0)")
  })

  test('refuses an older program where a migration says so', async () => {
    const db = openSmallDatabase(await bareDatabase())
    await migrate(db, newerMigrations('-- oldest program: 99\nSELECT 1'))
    await assert.rejects(migrate(db), /knows schema version 99, but this one knows only up to/)
  })

  test('leaves nothing of a migration that fails, and goes on where it was', async () => {
    const db = openSmallDatabase(await bareDatabase())
    await migrate(db)
    const before = await versions(db)
    const broken = newerMigrations('CREATE TABLE half (); SELECT 1 / 0')
    await assert.rejects(migrate(db, broken), /division by zero/)
    assert.deepEqual(await versions(db), before)
    assert.equal(await db.get("SELECT 1 FROM pg_class WHERE relname = 'half'"), undefined)
    await migrate(db, newerMigrations('CREATE TABLE whole ()'))
    assert.equal((await versions(db)).length, before.length + 1)
  })
})
