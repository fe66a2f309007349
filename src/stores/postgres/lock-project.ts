import type { OrgTenant, ProjectTenant } from '../../domain/tenant.ts'
import { SELECT_PROJECT } from '../shared/project-of.ts'
import type { ProjectRow, Sql } from '../shared/sql.ts'

/** Holds the organization until the transaction ends, for what is limited within it. It comes before any lock of a project. */
export async function lockOrganization(tx: Sql, tenant: OrgTenant): Promise<void> {
  await tx.run('SELECT 1 FROM organizations WHERE id = $1 FOR NO KEY UPDATE', tenant.orgId)
}

/** Whether the transaction changes the project or only needs its keys to stay as they are. */
type LockStrength = 'NO KEY UPDATE' | 'KEY SHARE'

/**
 * Holds the project until the transaction ends; others that want it wait. Everything that writes setups, monitors, batches,
 * matches, traces or jobs of a project begins with it: such writes happen one after the other within a project, and batches of a
 * project become visible in the order of their numbers. Recording what came of work does not need it.
 */
export async function lockProject(
  tx: Sql,
  tenant: ProjectTenant,
  strength: LockStrength = 'NO KEY UPDATE',
): Promise<ProjectRow> {
  const row = await lockProjectIfThere(tx, tenant, strength)
  if (!row) throw new Error(`project ${tenant.projectId} does not exist`)
  return row
}

/** The same for what a project that does not exist within its organization simply does not have. */
export function lockProjectIfThere(
  tx: Sql,
  tenant: ProjectTenant,
  strength: LockStrength = 'NO KEY UPDATE',
): Promise<ProjectRow | undefined> {
  return tx.get<ProjectRow>(
    `${SELECT_PROJECT} WHERE org_id = $1 AND id = $2 FOR ${strength}`,
    tenant.orgId,
    tenant.projectId,
  )
}

/** The same for those who serve all tenants; undefined when all data of the project was deleted and it has another number. */
export function lockProjectNumber(tx: Sql, number: number): Promise<ProjectRow | undefined> {
  return tx.get<ProjectRow>(`${SELECT_PROJECT} WHERE number = $1 FOR NO KEY UPDATE`, number)
}

/** The classes of advisory locks that this program takes. */
export const LOCK_CLASS = {
  ...{ migration: 61_001, holder: 61_002, deletion: 61_003, recording: 61_004 },
  ...{ partitions: 61_005, retention: 61_006, erasure: 61_007, move: 61_008, drawing: 61_009 },
  verification: 61_010,
} as const

/**
 * Deleting data of a project and recording results about it exclude each other, so that no evaluation of a deleted trace is
 * recorded after the deletion has looked for them. Many may record at the same time: see `beginRecording`.
 */
export async function excludeRecording(tx: Sql, projectNumber: number): Promise<void> {
  await tx.run('SELECT pg_advisory_xact_lock($1, $2::bigint::int)', LOCK_CLASS.deletion, projectNumber)
}

/** Joins those that record results about a project: rollups are not folded meanwhile, and nothing is deleted. */
export async function joinRecording(tx: Sql, projectNumber: number): Promise<void> {
  await tx.run('SELECT pg_advisory_xact_lock_shared($1, $2::bigint::int)', LOCK_CLASS.deletion, projectNumber)
}
