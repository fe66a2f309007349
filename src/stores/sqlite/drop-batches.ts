import type { SqliteDatabase } from './sqlite-database.ts'

/** Bytes of batches that are dropped at a time: what is dropped is overwritten, which takes about 10 ms for a megabyte. */
const DROP_BYTES = 500_000
/** Batches that are dropped at a time, however small they are. */
const DROP_ROWS = 200

/** Drops a few of the batches that are meant, the oldest first, with all that refers to them; tells how many. */
export function dropSomeBatches(
  db: SqliteDatabase,
  condition: string,
  ...values: readonly (number | string)[]
): number {
  const rows = db.all<{ id: number; size: number }>(
    `SELECT id, length(bytes) AS size FROM span_batches WHERE ${condition} ORDER BY received_at_ms LIMIT ?`,
    ...values,
    DROP_ROWS,
  )
  const ids: number[] = []
  let bytes = 0
  for (const { id, size } of rows) {
    if (bytes > 0 && bytes + size > DROP_BYTES) break
    bytes += size
    ids.push(id)
  }
  dropBatches(db, ids)
  return ids.length
}

/** Decisions and work go with their batch, so that nothing ever refers to a batch that is gone. */
export function dropBatches(db: SqliteDatabase, batchIds: readonly number[]): void {
  const ids = JSON.stringify(batchIds)
  for (const table of ['work', 'matches', 'trace_places', 'erasures', 'undigested_batches'])
    db.run(`DELETE FROM ${table} WHERE batch_id IN (SELECT value FROM json_each(?))`, ids)
  db.run('DELETE FROM span_batches WHERE id IN (SELECT value FROM json_each(?))', ids)
}
