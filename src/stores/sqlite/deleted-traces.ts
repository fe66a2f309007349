import type { SqliteDatabase } from './sqlite-database.ts'

export { notDeleted } from '../shared/not-deleted.ts'

/** Whether a trace of the project was deleted, lately enough to be remembered. */
export function isDeleted(db: SqliteDatabase, projectNumber: number, traceId: Uint8Array): boolean {
  return (
    db.get(
      'SELECT 1 FROM deleted_traces WHERE project_number = ? AND trace_id = ?',
      projectNumber,
      traceId,
    ) !== undefined
  )
}

/** Whether the project has any deleted trace, so that spans need not be looked up one by one where there is none. */
export function hasDeletedTraces(db: SqliteDatabase, projectNumber: number): boolean {
  return db.get('SELECT 1 FROM deleted_traces WHERE project_number = ? LIMIT 1', projectNumber) !== undefined
}
