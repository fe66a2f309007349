import { EXECUTION_MS_MAX } from '../../domain/execution.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import type { ExecutionLimits, NewExecution, StoredExecution } from '../../ports/execution-storage.ts'
import { type ExecutionRow, toStoredExecution } from './execution-rows.ts'
import type { Sql } from './sql.ts'

export async function createExecution(
  tx: Sql,
  tenant: ProjectTenant,
  execution: NewExecution,
  limits: ExecutionLimits,
): Promise<'created' | 'full'> {
  // Many that are made at once see each other, so that they do not all take the last place.
  await tx.lock.project(tenant)
  const { count, chars } = (await tx.get<{ count: number; chars: number }>(
    `SELECT count(*) AS count, coalesce(sum(length(call)), 0) AS chars FROM executions
     WHERE project_id = $1 AND outcome IS NULL AND created_at_ms >= $2`,
    tenant.projectId,
    execution.atMs - EXECUTION_MS_MAX,
  )) ?? { count: 0, chars: 0 }
  if (count >= limits.openMax || chars + execution.call.length > limits.openCharsMax) return 'full'
  await tx.run(
    'INSERT INTO executions (id, project_id, evaluator, call, created_at_ms) VALUES ($1, $2, $3, $4, $5)',
    execution.id,
    tenant.projectId,
    execution.evaluatorId,
    execution.call,
    execution.atMs,
  )
  return 'created'
}

export async function getExecution(
  db: Sql,
  tenant: ProjectTenant,
  id: string,
  atMs: number,
): Promise<StoredExecution | undefined> {
  const row = await db.get<ExecutionRow>(
    `SELECT x.evaluator, x.call, x.outcome FROM executions x JOIN projects p ON p.id = x.project_id
     WHERE p.org_id = $1 AND p.id = $2 AND x.id = $3 AND x.created_at_ms >= $4`,
    tenant.orgId,
    tenant.projectId,
    id,
    atMs - EXECUTION_MS_MAX,
  )
  return row && toStoredExecution(row)
}

export async function finishExecution(
  db: Sql,
  tenant: ProjectTenant,
  id: string,
  outcome: string,
): Promise<void> {
  // The judged text need not be kept once there is an answer.
  await db.run(
    `UPDATE executions SET outcome = $1, call = '' WHERE id = $2 AND outcome IS NULL
     AND project_id IN (SELECT id FROM projects WHERE org_id = $3 AND id = $4)`,
    outcome,
    id,
    tenant.orgId,
    tenant.projectId,
  )
}
