import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { connectAtStart } from './connect-at-start.ts'
import { LOCK_CLASS } from './lock-project.ts'
import type { PostgresDatabase } from './postgres-database.ts'

const MIGRATIONS_DIR = fileURLToPath(new URL('./migrations/', import.meta.url))

/**
 * Brings the database to the newest schema, under a lock, so that replicas that start together do it once. An older program
 * may still be running meanwhile: a migration only adds what older programs do not miss, and parts that no program needs any more are
 * taken away by a later release. So a database that is ahead of this program is used as it is, unless the migration that put
 * it ahead says that older programs must not.
 */
export async function migrate(db: PostgresDatabase, directory = MIGRATIONS_DIR): Promise<void> {
  const files = readdirSync(directory)
    .filter((name) => /^\d{4}-.*\.sql$/.test(name))
    .sort()
  const newest = Number(files.at(-1)?.slice(0, 4) ?? 0)
  const client = await connectAtStart(db)
  try {
    await client.query(`SELECT pg_advisory_lock(${LOCK_CLASS.migration}, 0)`)
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_versions (
         version BIGINT PRIMARY KEY, oldest_program BIGINT NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())`,
    )
    const { rows } = await client.query<{ version: number; oldest_program: number }>(
      'SELECT version, oldest_program FROM schema_versions ORDER BY version',
    )
    const oldestProgram = Math.max(0, ...rows.map((row) => row.oldest_program))
    if (oldestProgram > newest) {
      throw new Error(
        `the database needs a program that knows schema version ${oldestProgram}, but this one knows only up to ${newest}: ` +
          'a newer version of Assay has changed it. Start that version, or restore a backup made before the upgrade.',
      )
    }
    const applied = new Set(rows.map((row) => row.version))
    for (const name of files) {
      const version = Number(name.slice(0, 4))
      if (applied.has(version)) continue
      const sql = readFileSync(`${directory}/${name}`, 'utf8')
      const oldest = Number(/^-- oldest program: (\d+)$/m.exec(sql)?.[1] ?? 0)
      await client.query('BEGIN')
      await client.query(sql)
      await client.query('INSERT INTO schema_versions (version, oldest_program) VALUES ($1, $2)', [
        version,
        oldest,
      ])
      await client.query('COMMIT')
    }
  } finally {
    // Ends the lock too, and a transaction that has failed.
    await client.end()
  }
}
