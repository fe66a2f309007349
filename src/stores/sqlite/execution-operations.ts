import { EXECUTION_MS_MAX } from '../../domain/execution.ts'
import type { ProjectScope } from '../../domain/tenant.ts'
import type { ExecutionLimits, NewExecution, StoredExecution } from '../../ports/execution-storage.ts'
import { type ExecutionRow, toStoredExecution } from '../shared/execution-rows.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function createExecution(
  db: SqliteDatabase,
  scope: ProjectScope,
  execution: NewExecution,
  limits: ExecutionLimits,
): 'created' | 'full' {
  const { count, bytes } = db.get<{ count: number; bytes: number }>(
    `SELECT count(*) AS count, coalesce(sum(length(call)), 0) AS bytes FROM executions
     WHERE project_id = ? AND outcome IS NULL AND created_at_ms >= ?`,
    scope.projectId,
    execution.atMs - EXECUTION_MS_MAX,
  ) ?? { count: 0, bytes: 0 }
  if (count >= limits.openMax || bytes + execution.call.length > limits.openCharsMax) return 'full'
  const inserted = db.run(
    `INSERT INTO executions (id, project_id, evaluator, call, created_at_ms)
     SELECT ?, p.id, ?, ?, ? FROM projects p WHERE p.org_id = ? AND p.id = ?`,
    execution.id,
    execution.evaluatorId,
    execution.call,
    execution.atMs,
    scope.orgId,
    scope.projectId,
  )
  if (inserted === 0) throw new Error('the project of the scope does not exist')
  return 'created'
}

export function getExecution(
  db: SqliteDatabase,
  scope: ProjectScope,
  id: string,
  atMs: number,
): StoredExecution | undefined {
  const row = db.get<ExecutionRow>(
    `SELECT x.evaluator, x.call, x.outcome FROM executions x JOIN projects p ON p.id = x.project_id
     WHERE p.org_id = ? AND p.id = ? AND x.id = ? AND x.created_at_ms >= ?`,
    scope.orgId,
    scope.projectId,
    id,
    atMs - EXECUTION_MS_MAX,
  )
  return row && toStoredExecution(row)
}

export function finishExecution(db: SqliteDatabase, scope: ProjectScope, id: string, outcome: string): void {
  // What was judged need not be kept once there is an answer.
  db.run(
    `UPDATE executions SET outcome = ?, call = '' WHERE id = ? AND outcome IS NULL
     AND project_id IN (SELECT id FROM projects WHERE org_id = ? AND id = ?)`,
    outcome,
    id,
    scope.orgId,
    scope.projectId,
  )
}

/** Drops the oldest of those that are no longer kept, and tells how many. */
export function dropExecutions(db: SqliteDatabase, nowMs: number, rowsMax: number): number {
  return db.run(
    `DELETE FROM executions WHERE id IN (SELECT id FROM executions WHERE created_at_ms < ?
     ORDER BY created_at_ms LIMIT ?)`,
    nowMs - EXECUTION_MS_MAX,
    rowsMax,
  )
}
