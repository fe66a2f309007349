import type { OrgTenant, ProjectTenant } from '../../domain/tenant.ts'
import type { StoredDeletion } from '../../ports/deletion-storage.ts'
import { type DeletionRow, SELECT_DELETION, toDeletion } from './deletion-rows.ts'
import { projectOf } from './project-of.ts'
import type { Sql } from './sql.ts'

/** Counts the rows that deleting all data of the project would erase. */
export async function countProjectData(
  db: Sql,
  tenant: ProjectTenant,
): Promise<{ spans: number; evaluations: number }> {
  const { number } = await projectOf(db, tenant)
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
  { orgId }: OrgTenant,
  id: string,
): Promise<StoredDeletion | undefined> {
  const row = await db.get<DeletionRow>(`${SELECT_DELETION} WHERE id = $1 AND org_id = $2`, id, orgId)
  return row && toDeletion(row)
}
