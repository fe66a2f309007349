import type { ProjectTenant } from '../../domain/tenant.ts'
import type { ProjectRow, Sql } from './sql.ts'

export const SELECT_PROJECT = 'SELECT number, catalogue_revision, data_deleted_at_ms FROM projects'

/** A project that does not exist within its organization has no number; its spans then have no owner. */
export async function projectOf(db: Sql, tenant: ProjectTenant): Promise<ProjectRow> {
  const row = await findProject(db, tenant)
  if (!row) throw new Error(`project ${tenant.projectId} does not exist`)
  return row
}

/** The same for a project that may not be there. */
export function findProject(db: Sql, { orgId, projectId }: ProjectTenant): Promise<ProjectRow | undefined> {
  return db.get<ProjectRow>(`${SELECT_PROJECT} WHERE org_id = $1 AND id = $2`, orgId, projectId)
}
