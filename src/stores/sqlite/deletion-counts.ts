import type { OrgScope, ProjectScope } from '../../domain/tenant.ts'
import type { StoredDeletion } from '../../ports/deletion-storage.ts'
import { type DeletionRow, type NewDeletion, SELECT_DELETION, toDeletion } from '../shared/deletion-rows.ts'
import { UNIT_INDEX } from '../shared/evaluation-indexes.ts'
import { allVersions } from './evaluation-operations.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** When something was deleted, and under which id its parts are counted. */
export interface DeletionRequest {
  readonly atMs: number
  readonly deletionId: string | undefined
}

/** Remembers a deletion until it can be told that everything is erased; one that is repeated goes on as it is. */
export function openDeletion(db: SqliteDatabase, scope: ProjectScope, deletion: NewDeletion): void {
  const { id, project, kind, throughBatch, spans, evaluations, atMs } = deletion
  if (id === undefined) return
  const isCounted = kind !== 'project'
  db.run(
    `INSERT INTO deletions (id, org_id, project_id, project_number, kind, through_batch, spans, evaluations, requested_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    id,
    scope.orgId,
    scope.projectId,
    project,
    kind,
    throughBatch,
    isCounted ? 0 : (spans ?? null),
    isCounted ? 0 : (evaluations ?? null),
    atMs,
  )
}

/** Adds to what a deletion erases. There is something to be erased again then, also when it was finished before. */
export function countDeleted(
  db: SqliteDatabase,
  deletionId: string | undefined,
  { spans, evaluations }: { readonly spans: number; readonly evaluations: number },
): void {
  if (deletionId === undefined || spans + evaluations === 0) return
  db.run(
    'UPDATE deletions SET spans = spans + ?, evaluations = evaluations + ?, erased_at_ms = NULL WHERE id = ?',
    spans,
    evaluations,
    deletionId,
  )
}

/** The same for spans of a trace that were found after it was deleted. */
export function countHidden(db: SqliteDatabase, project: number, traceId: Uint8Array, spans: number): void {
  const row = db.get<{ deletion_id: string | null }>(
    'SELECT deletion_id FROM deleted_traces WHERE project_number = ? AND trace_id = ?',
    project,
    traceId,
  )
  countDeleted(db, row?.deletion_id ?? undefined, { spans, evaluations: 0 })
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
export function countLateOf(db: SqliteDatabase, { projectId }: ProjectScope, spans: number): void {
  db.run(
    `UPDATE deletions SET late_spans = late_spans + ? WHERE id = (
       SELECT id FROM deletions WHERE project_id = ? AND kind = 'project' ORDER BY requested_at_ms DESC LIMIT 1)`,
    spans,
    projectId,
  )
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

/** Counts the rows that deleting all data of the project would erase. */
export function countProjectData(
  db: SqliteDatabase,
  scope: ProjectScope,
): { spans: number; evaluations: number } {
  const { number } = projectOf(db, scope)
  const count = (table: 'spans' | 'evaluations') =>
    db.get<{ count: number }>(`SELECT count(*) AS count FROM ${table} WHERE project_number = ?`, number)
      ?.count ?? 0
  return { spans: count('spans'), evaluations: count('evaluations') }
}

/** A deletion of the organization; undefined when there is none of that id. */
export function getDeletion(db: SqliteDatabase, { orgId }: OrgScope, id: string): StoredDeletion | undefined {
  const row = db.get<DeletionRow & Record<string, unknown>>(
    `${SELECT_DELETION} WHERE id = ? AND org_id = ?`,
    id,
    orgId,
  )
  return row && toDeletion(row)
}
