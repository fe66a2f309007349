import type { CountedResource, OwnLimits, ResourceUse } from '../../domain/limits.ts'
import type { OrgTenant } from '../../domain/tenant.ts'
import type { OrganizationUse } from '../../ports/limit-storage.ts'
import {
  COUNTED_ROWS,
  LIMIT_COLUMNS,
  type LimitsRow,
  type OrganizationUseRow,
  SELECT_LIMITS,
  SELECT_USE,
  toOwnLimits,
  toResourceUse,
  type UseRow,
} from './limit-rows.ts'
import type { Sql } from './sql.ts'

export async function readLimits(db: Sql, tenant: OrgTenant): Promise<OwnLimits | undefined> {
  const row = await db.get<LimitsRow>(
    `SELECT ${SELECT_LIMITS} FROM organizations o LEFT JOIN organization_limits l ON l.org_id = o.id WHERE o.id = $1`,
    tenant.orgId,
  )
  return row && toOwnLimits(row)
}

export async function readResourceUse(db: Sql, tenant: OrgTenant): Promise<ResourceUse> {
  const row = await db.get<UseRow>(`SELECT ${SELECT_USE} FROM organizations o WHERE o.id = $1`, tenant.orgId)
  if (!row) throw new Error(`organization ${tenant.orgId} does not exist`)
  return toResourceUse(row)
}

export async function putLimits(tx: Sql, orgId: string, limits: OwnLimits, atMs: number): Promise<boolean> {
  const columns = Object.entries(LIMIT_COLUMNS)
  const stored = await tx.run(
    `INSERT INTO organization_limits (org_id, updated_at_ms, ${columns.map(([, column]) => column).join(', ')})
     SELECT id, $2, ${columns.map((_, at) => `CAST($${at + 3} AS bigint)`).join(', ')} FROM organizations WHERE id = $1
     ON CONFLICT (org_id) DO UPDATE SET updated_at_ms = excluded.updated_at_ms,
       ${columns.map(([, column]) => `${column} = excluded.${column}`).join(', ')}`,
    orgId,
    atMs,
    ...columns.map(([name]) => limits[name as keyof OwnLimits] ?? null),
  )
  return stored > 0
}

export async function listResourceUse(db: Sql): Promise<OrganizationUse[]> {
  const rows = await db.all<OrganizationUseRow & LimitsRow>(
    `SELECT o.id, o.name, ${SELECT_LIMITS}, ${SELECT_USE}
     FROM organizations o LEFT JOIN organization_limits l ON l.org_id = o.id ORDER BY o.id`,
  )
  return rows.map((row) => ({
    ...{ orgId: row.id, name: row.name },
    ...{ limits: toOwnLimits(row), use: toResourceUse(row) },
  }))
}

/**
 * Whether `adding` more would be too many. `defaultMax` holds for organizations without a limit of their own; when it is absent,
 * no check is made. Holds the organization, so that two that are added at once do not both take the last place; so it comes
 * before any lock of a project.
 */
export async function isFull(
  tx: Sql,
  tenant: OrgTenant,
  resource: CountedResource,
  defaultMax: number | undefined,
  countAdded: () => Promise<number> = async () => 1,
): Promise<boolean> {
  const max = await lockedMax(tx, tenant, resource, defaultMax)
  if (max === 0) return false
  const adding = await countAdded()
  if (adding === 0) return false
  const stored = await tx.get<{ count: number }>(
    `SELECT count(*) AS count FROM ${COUNTED_ROWS[resource]} = $1`,
    tenant.orgId,
  )
  return (stored?.count ?? 0) + adding > max
}

/** The limit of a resource, and the organization held if there is one. */
async function lockedMax(
  tx: Sql,
  tenant: OrgTenant,
  resource: CountedResource,
  defaultMax: number | undefined,
): Promise<number> {
  if (defaultMax === undefined) return 0
  const own = await tx.get<{ own: number | null }>(
    `SELECT ${LIMIT_COLUMNS[resource]} AS own FROM organization_limits WHERE org_id = $1`,
    tenant.orgId,
  )
  const max = own?.own ?? defaultMax
  if (max > 0) await tx.lock.organization(tenant)
  return max
}
