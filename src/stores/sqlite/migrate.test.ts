import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { migrate } from './migrate.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { openSqliteStorage } from './sqlite-storage.ts'

function openEmpty(): SqliteDatabase {
  return SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
}

function migrations(files: Record<string, string>): string {
  const directory = temporaryDirectory()
  for (const [name, sql] of Object.entries(files)) writeFileSync(path.join(directory, name), sql)
  return directory
}

test('applies each migration once, in order', () => {
  const db = openEmpty()
  const directory = migrations({
    '0002-second.sql': 'INSERT INTO items VALUES (2)',
    '0001-first.sql': 'CREATE TABLE items (id INTEGER); INSERT INTO items VALUES (1)',
  })
  migrate(db, directory)
  migrate(db, directory)
  assert.deepEqual(
    db.all<{ id: number }>('SELECT id FROM items').map(({ id }) => id),
    [1, 2],
  )
})

test('leaves nothing of a migration that fails half way', () => {
  const db = openEmpty()
  const directory = migrations({
    '0001-first.sql': 'CREATE TABLE items (id INTEGER); INSERT INTO nowhere VALUES (1)',
  })
  assert.throws(() => migrate(db, directory), /nowhere/)
  assert.deepEqual({ ...db.get<object>('PRAGMA user_version') }, { user_version: 0 })
  assert.equal(db.get("SELECT 1 FROM sqlite_master WHERE name = 'items'"), undefined)
})

test('makes a new store in one step, and an old one newer file by file', () => {
  const db = openEmpty()
  const first = { '0001-first.sql': 'CREATE TABLE items (id INTEGER)' }
  const second = { '0002-second.sql': 'INSERT INTO items VALUES (2)' }
  const failing = { '0003-third.sql': 'INSERT INTO nowhere VALUES (3)' }
  const version = () => db.get<{ user_version: number }>('PRAGMA user_version')?.user_version
  assert.throws(() => migrate(db, migrations({ ...first, ...second, ...failing })), /nowhere/)
  assert.equal(version(), 0)
  migrate(db, migrations(first))
  assert.throws(() => migrate(db, migrations({ ...first, ...second, ...failing })), /nowhere/)
  assert.equal(version(), 2)
})

test('refuses a store that a newer program has written', async () => {
  const dataDir = temporaryDirectory()
  const storage = await openSqliteStorage({ dataDir, readerThreads: 1 })
  await storage.close()
  SqliteDatabase.openWriter(path.join(dataDir, 'assay.db')).exec('PRAGMA user_version = 9999')
  await assert.rejects(
    openSqliteStorage({ dataDir, readerThreads: 1 }),
    /schema version 9999.*newer version of Assay/,
  )
})
