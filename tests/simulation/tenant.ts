import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { NewOrganization } from '../../src/ports/storage.ts'
import { createOrganization } from '../../src/stores/shared/tenant-operations.ts'
import type { SqliteDatabase } from '../../src/stores/sqlite/sqlite-database.ts'
import { SqliteSql } from '../../src/stores/sqlite/sqlite-sql.ts'
import { RETENTION_HOURS } from './virtual-process.ts'

/** The one tenant of a world. */
export const SCOPE: EnvironmentTenant = { orgId: 'org', projectId: 'project', envProjectId: 'environment' }

export const TENANT: NewOrganization = {
  organization: {
    id: SCOPE.orgId,
    name: 'one',
    isOperator: true,
    retentionHours: RETENTION_HOURS,
    createdAtMs: 1,
  },
  project: {
    id: SCOPE.projectId,
    name: 'Default',
    slug: 'default',
    environments: [{ envProjectId: SCOPE.envProjectId, slug: 'prd' }],
    createdAtMs: 1,
  },
  keys: [],
}

/** Stores it, before anything can go wrong. */
export async function createTenant(db: SqliteDatabase): Promise<void> {
  db.exec('BEGIN')
  await createOrganization(new SqliteSql(db), TENANT)
  db.exec('COMMIT')
}
