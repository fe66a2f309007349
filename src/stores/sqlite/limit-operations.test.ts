import assert from 'node:assert/strict'
import { copyFileSync, globSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { migrate } from './migrate.ts'
import { SqliteDatabase } from './sqlite-database.ts'

const MIGRATIONS = path.join(import.meta.dirname, 'migrations')

function addBatch(db: SqliteDatabase, project: number, bytes: number): void {
  db.run(
    `INSERT INTO span_batches (project_number, env_project_id, revision, received_at_ms, span_count, byte_length, bytes)
     VALUES (?, 'e', 1, 1, 1, 1, ?)`,
    project,
    Buffer.alloc(bytes),
  )
}

const bytesIn = (db: SqliteDatabase) =>
  db
    .all<{ project_number: number; bytes: number }>('SELECT * FROM stored_bytes ORDER BY project_number')
    .map((row) => [row.project_number, row.bytes])

test('stored bytes of a file that the previous version has written are counted by the migration', () => {
  const before = temporaryDirectory()
  for (const file of globSync('000[1-8]-*.sql', { cwd: MIGRATIONS }))
    copyFileSync(path.join(MIGRATIONS, file), path.join(before, file))
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  migrate(db, before)
  addBatch(db, 1, 100)
  addBatch(db, 1, 20)
  addBatch(db, 2, 3)
  migrate(db)
  assert.deepEqual(bytesIn(db), [
    [1, 120],
    [2, 3],
  ])
  addBatch(db, 2, 4)
  db.run('UPDATE span_batches SET bytes = ? WHERE id = 1', Buffer.alloc(1))
  db.run('UPDATE span_batches SET repeated = ? WHERE id = 2', Buffer.alloc(9))
  db.run('DELETE FROM span_batches WHERE id = 3')
  assert.deepEqual(bytesIn(db), [
    [1, 21],
    [2, 4],
  ])
  db.close()
})
