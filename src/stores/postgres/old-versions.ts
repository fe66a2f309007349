import type { Sql } from '../shared/sql.ts'
import { NOW_MS } from './leases.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** Cleaning goes over the indexes of what it cleans, so it is not done after each of many deletions. */
const VACUUM_PAUSE_MS = 600_000
/** How long one table may take; a larger one is left to the server's own cleaning. */
const VACUUM_MS_MAX = 120_000

/** Tables with content that can be deleted on request. */
const TABLES_WITH_CONTENT = [
  ...[
    'span_batches',
    'spans',
    'matches',
    'work',
    'traces',
    'trace_places',
    'units',
    'evaluations',
    'scores',
    'span_contents',
  ],
  ...['value_rollups', 'usage_rollups', 'executions', 'judge_cache', 'deleted_sessions', 'erasures'],
  ...['span_images', 'applications', 'deployments', 'value_folds', 'usage_folds'],
]

/** The server keeps what a row was before until it cleans up; that is asked for when everything is erased. */
export async function markDirty(tx: Sql): Promise<void> {
  await tx.run('UPDATE erasure_progress SET is_dirty = 1 WHERE is_dirty = 0')
}

/** Whether something was erased that the server may still keep. */
export async function isDirty(db: Sql): Promise<boolean> {
  return (await db.get('SELECT 1 FROM erasure_progress WHERE is_dirty = 1')) !== undefined
}

/** Whether it is time to clean up, and no other process does: a caller that gets true has to call `dropOldVersions`. */
export async function takeCleaning(tx: Sql): Promise<boolean> {
  const taken = await tx.run(
    `UPDATE erasure_progress SET is_dirty = 0, vacuumed_at_ms = ${NOW_MS}
     WHERE is_dirty = 1 AND vacuumed_at_ms < ${NOW_MS} - $1`,
    VACUUM_PAUSE_MS,
  )
  return taken > 0
}

/**
 * Has the server give up old versions of rows. A transaction that may still see them keeps them: then the server's own
 * cleaning takes them later.
 */
export async function dropOldVersions(db: PostgresDatabase): Promise<void> {
  try {
    await vacuum(db)
  } catch (error) {
    await markDirty(db)
    throw error
  }
}

async function vacuum(db: PostgresDatabase): Promise<void> {
  const client = db.newClient()
  // Its queries fail with the same error.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`SET statement_timeout = ${VACUUM_MS_MAX}`)
    for (const table of TABLES_WITH_CONTENT) await client.query(`VACUUM ${table}`)
  } finally {
    await client.end()
  }
}
