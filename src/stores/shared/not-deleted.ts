/** The condition that a row of a table with a project and a trace does not belong to a deleted trace. */
export function notDeleted(alias: string): string {
  return `NOT EXISTS (SELECT 1 FROM deleted_traces d
    WHERE d.project_number = ${alias}.project_number AND d.trace_id = ${alias}.trace_id)`
}
