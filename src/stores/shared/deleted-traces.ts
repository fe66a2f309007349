import type { Sql } from './sql.ts'

/** Whether a trace of the project was deleted, lately enough to be remembered. */
export async function isDeleted(tx: Sql, projectNumber: number, traceId: Uint8Array): Promise<boolean> {
  const row = await tx.get(
    'SELECT 1 FROM deleted_traces WHERE project_number = $1 AND trace_id = $2',
    projectNumber,
    traceId,
  )
  return row !== undefined
}
