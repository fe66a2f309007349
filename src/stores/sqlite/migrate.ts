import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SqliteDatabase } from './sqlite-database.ts'

const MIGRATIONS_DIR = fileURLToPath(new URL('./migrations/', import.meta.url))

/**
 * Brings the store to the newest schema, each numbered file in a transaction of its own; a new store is made in one, which saves
 * the first start a flush for each file. The number of the last one is the database's user_version. A store that a newer program has written to is refused, not guessed at.
 */
export function migrate(db: SqliteDatabase, directory = MIGRATIONS_DIR): void {
  const files = readdirSync(directory)
    .filter((name) => /^\d{4}-.*\.sql$/.test(name))
    .sort()
  const newest = Number(files.at(-1)?.slice(0, 4) ?? 0)
  const stored = schemaVersion(db)
  if (stored > newest) {
    throw new Error(
      `the store has schema version ${stored}, but this program knows only up to ${newest}: ` +
        'it was written by a newer version of Assay. Start that version, or restore a backup made before the upgrade.',
    )
  }
  const migrations = files.map((name) => ({
    version: Number(name.slice(0, 4)),
    sql: readFileSync(`${directory}/${name}`, 'utf8'),
  }))
  for (const group of stored === 0 ? [migrations] : migrations.map((one) => [one])) applyOnce(db, group)
}

interface Migration {
  readonly version: number
  readonly sql: string
}

// IMMEDIATE, and the version is read again inside: a second process starting at the same time finds it done.
function applyOnce(db: SqliteDatabase, group: readonly Migration[]): void {
  if (group.every(({ version }) => schemaVersion(db) >= version)) return
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const { version, sql } of group) {
      if (schemaVersion(db) >= version) continue
      db.exec(sql)
      db.exec(`PRAGMA user_version = ${version}`)
    }
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function schemaVersion(db: SqliteDatabase): number {
  return db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}
