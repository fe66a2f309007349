import type { ProjectTenant } from '../../domain/tenant.ts'
import {
  COUNT_DELETED,
  COUNT_HIDDEN,
  COUNT_LATE_OF_PROJECT,
  INSERT_DELETION,
  type NewDeletion,
  toDeletionValues,
} from '../shared/deletion-rows.ts'
import type { Sql } from '../shared/sql.ts'

/** Remembers a deletion until it can be told that everything is erased; one that is repeated goes on as it is. */
export async function openDeletion(tx: Sql, tenant: ProjectTenant, deletion: NewDeletion): Promise<void> {
  if (deletion.id !== undefined)
    await tx.run(INSERT_DELETION, ...toDeletionValues(tenant, deletion.id, deletion))
}

/** Adds to what a deletion erases. There is something to be erased again then, also when it was finished before. */
export async function countDeleted(
  tx: Sql,
  deletionId: string | undefined,
  { spans, evaluations }: { readonly spans: number; readonly evaluations: number },
): Promise<void> {
  if (deletionId === undefined || spans + evaluations === 0) return
  await tx.run(COUNT_DELETED, spans, evaluations, deletionId)
}

/** The same for spans of a trace that were found after it was deleted. */
export async function countHidden(
  tx: Sql,
  project: number,
  traceId: Uint8Array,
  spans: number,
): Promise<void> {
  await tx.run(COUNT_HIDDEN, spans, project, traceId)
}

/** Spans that came when all data of their project was deleted already. */
export async function countLateOf(tx: Sql, { projectId }: ProjectTenant, spans: number): Promise<void> {
  await tx.run(COUNT_LATE_OF_PROJECT, spans, projectId)
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
