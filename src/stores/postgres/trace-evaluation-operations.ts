import type { ProjectScope } from '../../domain/tenant.ts'
import type { StoredEvaluation } from '../../ports/result-storage.ts'
import {
  type EvaluationRow,
  fromHex,
  joinOwners,
  SPAN_ID_BYTES,
  toEvaluation,
} from '../shared/evaluation-rows.ts'
import { notDeleted } from '../shared/not-deleted.ts'
import { projectOf } from '../shared/project-of.ts'
import type { Sql } from '../shared/sql.ts'
import { allVersions } from './evaluation-operations.ts'

export async function listTraceEvaluations(
  tx: Sql,
  scope: ProjectScope,
  traceIds: readonly string[],
  { spanIds, limitEach }: { readonly spanIds?: readonly string[]; readonly limitEach: number },
): Promise<StoredEvaluation[]> {
  const { number: project } = await projectOf(tx, scope)
  const versions = await allVersions(tx, project)
  const inner = `SELECT found.*, asked.place FROM unnest($2::bytea[]) WITH ORDINALITY AS asked (trace_id, place)
    CROSS JOIN LATERAL (
      SELECT * FROM evaluations e
      WHERE e.monitor_version = ANY($1) AND e.trace_id = asked.trace_id AND e.is_current = 1 AND ${notDeleted('e')}
        ${spanIds ? `AND (length(e.span_id) <> ${SPAN_ID_BYTES} OR e.span_id = ANY($4))` : ''}
      ORDER BY e.number LIMIT $3) AS found`
  const rows = await tx.all<EvaluationRow>(
    `${joinOwners(inner)} ORDER BY e.place, e.number`,
    ...[versions, traceIds.map(fromHex), limitEach],
    ...(spanIds ? [spanIds.map(fromHex)] : []),
  )
  return rows.map(toEvaluation)
}

export async function listSessionEvaluations(
  tx: Sql,
  scope: ProjectScope,
  sessionId: string,
  limit: number,
): Promise<StoredEvaluation[]> {
  const { number: project } = await projectOf(tx, scope)
  const inner = `SELECT * FROM evaluations e
    WHERE e.project_number = $1 AND e.session_id = $2 AND length(e.span_id) > ${SPAN_ID_BYTES} AND e.is_current = 1
      AND ${notDeleted('e')} ORDER BY e.number LIMIT $3`
  const rows = await tx.all<EvaluationRow>(
    `${joinOwners(inner)} ORDER BY e.number`,
    project,
    sessionId,
    limit,
  )
  return rows.map(toEvaluation)
}
