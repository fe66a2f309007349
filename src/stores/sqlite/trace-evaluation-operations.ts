import type { ProjectScope } from '../../domain/tenant.ts'
import type { StoredEvaluation } from '../../ports/result-storage.ts'
import { SESSION_INDEX, UNIT_INDEX } from '../shared/evaluation-indexes.ts'
import { type EvaluationRow, joinOwners, SPAN_ID_BYTES, toEvaluation } from '../shared/evaluation-rows.ts'
import { notDeleted } from './deleted-traces.ts'
import { allVersions } from './evaluation-operations.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function listTraceEvaluations(
  db: SqliteDatabase,
  scope: ProjectScope,
  traceIds: readonly string[],
  { spanIds, limitEach }: { readonly spanIds?: readonly string[]; readonly limitEach: number },
): StoredEvaluation[] {
  const versions = JSON.stringify(allVersions(db, projectOf(db, scope).number))
  const units = spanIds && JSON.stringify(spanIds.map((spanId) => spanId.toUpperCase()))
  const inner = `SELECT * FROM evaluations e INDEXED BY ${UNIT_INDEX}
    WHERE e.monitor_version IN (SELECT value FROM json_each(?)) AND e.trace_id = ? AND e.is_current = 1 AND ${notDeleted('e')}
      ${units === undefined ? '' : `AND (length(e.span_id) <> ${SPAN_ID_BYTES} OR hex(e.span_id) IN (SELECT value FROM json_each(?)))`}
    ORDER BY e.number LIMIT ?`
  return traceIds.flatMap((traceId) =>
    db
      .all<EvaluationRow>(
        `${joinOwners(inner)} ORDER BY e.number`,
        ...[versions, Buffer.from(traceId, 'hex')],
        ...(units === undefined ? [] : [units]),
        limitEach,
      )
      .map(toEvaluation),
  )
}

export function listSessionEvaluations(
  db: SqliteDatabase,
  scope: ProjectScope,
  sessionId: string,
  limit: number,
): StoredEvaluation[] {
  const inner = `SELECT * FROM evaluations e INDEXED BY ${SESSION_INDEX}
    WHERE e.project_number = ? AND e.session_id = ? AND length(e.span_id) > ${SPAN_ID_BYTES} AND e.is_current = 1
      AND ${notDeleted('e')} ORDER BY e.number LIMIT ?`
  return db
    .all<EvaluationRow>(
      `${joinOwners(inner)} ORDER BY e.number`,
      projectOf(db, scope).number,
      sessionId,
      limit,
    )
    .map(toEvaluation)
}
