import type { SqliteDatabase } from './sqlite-database.ts'

/** Enough to need new pages of the file. */
const PROBE_BYTES = 65_536

/** Returns when the store can be read at all. */
export function ping(db: SqliteDatabase): void {
  db.get('SELECT 1')
}

/** Writes a little and takes it away again, which needs free pages and room in the log. */
export function probeDisk(db: SqliteDatabase): void {
  db.run(
    "INSERT OR REPLACE INTO service_state (name, value) VALUES ('probe', hex(zeroblob(?)))",
    PROBE_BYTES / 2,
  )
  db.run("DELETE FROM service_state WHERE name = 'probe'")
}
