import type { ProjectTenant } from '../../domain/tenant.ts'
import {
  COUNT_DELETED,
  COUNT_HIDDEN,
  COUNT_LATE_OF_PROJECT,
  INSERT_DELETION,
  type NewDeletion,
  toDeletionValues,
} from '../shared/deletion-rows.ts'
import { UNIT_INDEX } from '../shared/evaluation-indexes.ts'
import { allVersions } from './evaluation-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Remembers a deletion until it can be told that everything is erased; one that is repeated goes on as it is. */
export function openDeletion(db: SqliteDatabase, tenant: ProjectTenant, deletion: NewDeletion): void {
  if (deletion.id !== undefined) db.run(INSERT_DELETION, ...toDeletionValues(tenant, deletion.id, deletion))
}

/** Adds to what a deletion erases. There is something to be erased again then, also when it was finished before. */
export function countDeleted(
  db: SqliteDatabase,
  deletionId: string | undefined,
  { spans, evaluations }: { readonly spans: number; readonly evaluations: number },
): void {
  if (deletionId === undefined || spans + evaluations === 0) return
  db.run(COUNT_DELETED, spans, evaluations, deletionId)
}

/** The same for spans of a trace that were found after it was deleted. */
export function countHidden(db: SqliteDatabase, project: number, traceId: Uint8Array, spans: number): void {
  db.run(COUNT_HIDDEN, spans, project, traceId)
}

/** Spans that came when their trace was deleted already. */
export function countLate(db: SqliteDatabase, project: number, traceId: Uint8Array): void {
  db.run(
    `UPDATE deletions SET late_spans = late_spans + 1 WHERE id = (
       SELECT deletion_id FROM deleted_traces WHERE project_number = ? AND trace_id = ?)`,
    project,
    traceId,
  )
}

/** Spans that came when all data of their project was deleted already. */
export function countLateOf(db: SqliteDatabase, { projectId }: ProjectTenant, spans: number): void {
  db.run(COUNT_LATE_OF_PROJECT, spans, projectId)
}

/** Evaluations about the trace or one of its spans, superseded ones too. */
export function countEvaluations(db: SqliteDatabase, project: number, traceId: Uint8Array): number {
  const row = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM evaluations INDEXED BY ${UNIT_INDEX}
     WHERE monitor_version IN (SELECT value FROM json_each(?)) AND trace_id = ?`,
    JSON.stringify(allVersions(db, project)),
    traceId,
  )
  return row?.count ?? 0
}
