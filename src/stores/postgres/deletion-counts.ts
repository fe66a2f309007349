import type { OrgScope, ProjectScope } from '../../domain/tenant.ts'
import type { StoredDeletion } from '../../ports/deletion-storage.ts'
import { type DeletionRow, type NewDeletion, SELECT_DELETION, toDeletion } from '../shared/deletion-rows.ts'
import { projectOf } from '../shared/project-of.ts'
import type { Sql } from '../shared/sql.ts'

/** When something was deleted, and under which id its parts are counted. */
export interface DeletionRequest {
  readonly atMs: number
  readonly deletionId: string | undefined
}

/** Remembers a deletion until it can be told that everything is erased; one that is repeated goes on as it is. */
export async function openDeletion(tx: Sql, scope: ProjectScope, deletion: NewDeletion): Promise<void> {
  const { id, project, kind, throughBatch, spans, evaluations, atMs } = deletion
  if (id === undefined) return
  const isCounted = kind !== 'project'
  await tx.run(
    `INSERT INTO deletions (id, org_id, project_id, project_number, kind, through_batch, spans, evaluations, requested_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING`,
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
export async function countDeleted(
  tx: Sql,
  deletionId: string | undefined,
  { spans, evaluations }: { readonly spans: number; readonly evaluations: number },
): Promise<void> {
  if (deletionId === undefined || spans + evaluations === 0) return
  await tx.run(
    'UPDATE deletions SET spans = spans + $1, evaluations = evaluations + $2, erased_at_ms = NULL WHERE id = $3',
    spans,
    evaluations,
    deletionId,
  )
}

/** The same for spans of a trace that were found after it was deleted. */
export async function countHidden(
  tx: Sql,
  project: number,
  traceId: Uint8Array,
  spans: number,
): Promise<void> {
  await tx.run(
    `UPDATE deletions SET spans = spans + $1, erased_at_ms = NULL WHERE id = (
       SELECT deletion_id FROM deleted_traces WHERE project_number = $2 AND trace_id = $3)`,
    spans,
    project,
    traceId,
  )
}

/** Spans that came when all data of their project was deleted already. */
export async function countLateOf(tx: Sql, { projectId }: ProjectScope, spans: number): Promise<void> {
  await tx.run(
    `UPDATE deletions SET late_spans = late_spans + $1 WHERE id = (
       SELECT id FROM deletions WHERE project_id = $2 AND kind = 'project' ORDER BY requested_at_ms DESC LIMIT 1)`,
    spans,
    projectId,
  )
}

/** Evaluations about the traces or one of their spans, superseded ones too. */
export async function countEvaluations(
  tx: Sql,
  project: number,
  traceIds: readonly Uint8Array[],
): Promise<number> {
  const row = await tx.get<{ count: number }>(
    'SELECT count(*) AS count FROM evaluations WHERE trace_id = ANY($2::bytea[]) AND project_number = $1',
    project,
    traceIds,
  )
  return row?.count ?? 0
}

/** Counts the rows that deleting all data of the project would erase. */
export async function countProjectData(
  db: Sql,
  scope: ProjectScope,
): Promise<{ spans: number; evaluations: number }> {
  const { number } = await projectOf(db, scope)
  const row = await db.get<{ spans: number; evaluations: number }>(
    `SELECT (SELECT count(*) FROM spans WHERE project_number = $1) AS spans,
       (SELECT count(*) FROM evaluations WHERE project_number = $1) AS evaluations`,
    number,
  )
  return row ?? { spans: 0, evaluations: 0 }
}

/** A deletion of the organization; undefined when there is none of that id. */
export async function getDeletion(
  db: Sql,
  { orgId }: OrgScope,
  id: string,
): Promise<StoredDeletion | undefined> {
  const row = await db.get<DeletionRow>(`${SELECT_DELETION} WHERE id = $1 AND org_id = $2`, id, orgId)
  return row && toDeletion(row)
}
