import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { migrate } from '../../src/stores/sqlite/migrate.ts'
import { SqliteDatabase } from '../../src/stores/sqlite/sqlite-database.ts'
import { DATABASE_FILE } from '../../src/stores/sqlite/sqlite-storage.ts'
import { temporaryDirectory } from './temporary-directory.ts'

let made: string | undefined

/** A temporary directory with an empty store of the newest schema: for tests that open many, because making one takes long. */
export function migratedDirectory(): string {
  made ??= makeStore()
  const directory = temporaryDirectory()
  copyFileSync(made, path.join(directory, DATABASE_FILE))
  return directory
}

function makeStore(): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-test-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  const file = path.join(directory, DATABASE_FILE)
  const db = SqliteDatabase.openWriter(file)
  migrate(db)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return file
}
