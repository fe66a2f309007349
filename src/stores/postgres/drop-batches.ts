import type { Sql, SqlValue } from '../shared/sql.ts'

/** Bytes of batches that are dropped at a time. */
const DROP_BYTES = 4_000_000
/** Batches that are dropped at a time, however small they are. */
const DROP_ROWS = 500

/**
 * Drops a few of the batches that are meant, the oldest first, with all that refers to them; tells how many. The caller holds
 * the project, or the project is gone.
 */
export async function dropSomeBatches(tx: Sql, condition: string, ...values: SqlValue[]): Promise<number> {
  const rows = await tx.all<{ id: number; size: number }>(
    `SELECT id, octet_length(bytes) AS size FROM span_batches WHERE ${condition}
     ORDER BY received_at_ms LIMIT ${DROP_ROWS}`,
    ...values,
  )
  const ids: number[] = []
  let bytes = 0
  for (const { id, size } of rows) {
    if (bytes > 0 && bytes + size > DROP_BYTES) break
    bytes += size
    ids.push(id)
  }
  await dropBatches(tx, ids)
  return ids.length
}

/** Decisions and work go with their batch, so that nothing ever refers to a batch that is gone. */
export async function dropBatches(tx: Sql, batchIds: readonly number[]): Promise<void> {
  if (batchIds.length === 0) return
  for (const table of ['work', 'matches', 'trace_places', 'erasures', 'undigested_batches'])
    await tx.run(`DELETE FROM ${table} WHERE batch_id = ANY($1)`, batchIds)
  await tx.run('DELETE FROM span_batches WHERE id = ANY($1)', batchIds)
}
