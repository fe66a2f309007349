import type { ProjectTenant } from '../../domain/tenant.ts'
import type { StoredEvaluation } from '../../ports/result-storage.ts'
import { allOfEach } from './all-of-each.ts'
import { allVersions } from './all-versions.ts'
import { SESSION_INDEX, UNIT_INDEX } from './evaluation-indexes.ts'
import { type EvaluationRow, fromHex, joinOwners, SPAN_ID_BYTES, toEvaluation } from './evaluation-rows.ts'
import { notDeleted } from './not-deleted.ts'
import { projectOf } from './project-of.ts'
import type { Sql } from './sql.ts'

export async function listTraceEvaluations(
  db: Sql,
  tenant: ProjectTenant,
  traceIds: readonly string[],
  { spanIds, limitEach }: { readonly spanIds?: readonly string[]; readonly limitEach: number },
): Promise<StoredEvaluation[]> {
  const { oneOf, oneOfBytes, indexedBy } = db.dialect
  const { number: project } = await projectOf(db, tenant)
  const ofTrace = (traceId: string) => `SELECT * FROM evaluations e ${indexedBy(UNIT_INDEX)}
    WHERE ${oneOf('e.monitor_version', '$2')} AND e.trace_id = ${traceId} AND e.is_current = 1 AND ${notDeleted('e')}
      ${spanIds ? `AND (length(e.span_id) <> ${SPAN_ID_BYTES} OR ${oneOfBytes('e.span_id', '$4')})` : ''}
    ORDER BY e.number LIMIT $3`
  const rows = await allOfEach<EvaluationRow>(
    db,
    { type: 'bytea', list: traceIds.map(fromHex), order: 'number' },
    (traceId) => joinOwners(ofTrace(traceId)),
    ...[await allVersions(db, project), limitEach],
    ...(spanIds ? [spanIds.map(fromHex)] : []),
  )
  return rows.map(toEvaluation)
}

export async function listSessionEvaluations(
  db: Sql,
  tenant: ProjectTenant,
  sessionId: string,
  limit: number,
): Promise<StoredEvaluation[]> {
  const { number: project } = await projectOf(db, tenant)
  const inner = `SELECT * FROM evaluations e ${db.dialect.indexedBy(SESSION_INDEX)}
    WHERE e.project_number = $1 AND e.session_id = $2 AND length(e.span_id) > ${SPAN_ID_BYTES} AND e.is_current = 1
      AND ${notDeleted('e')} ORDER BY e.number LIMIT $3`
  const rows = await db.all<EvaluationRow>(
    `${joinOwners(inner)} ORDER BY e.number`,
    project,
    sessionId,
    limit,
  )
  return rows.map(toEvaluation)
}
