import type { CountedResource, OwnLimits, ResourceUse } from '../../domain/limits.ts'
import type { OrgScope } from '../../domain/tenant.ts'
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
} from '../shared/limit-rows.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function readLimits(db: SqliteDatabase, scope: OrgScope): OwnLimits | undefined {
  const row = db.get<LimitsRow & Record<string, unknown>>(
    `SELECT ${SELECT_LIMITS} FROM organizations o LEFT JOIN organization_limits l ON l.org_id = o.id WHERE o.id = ?`,
    scope.orgId,
  )
  return row && toOwnLimits(row)
}

export function readResourceUse(db: SqliteDatabase, scope: OrgScope): ResourceUse {
  const row = db.get<UseRow & Record<string, unknown>>(
    `SELECT ${SELECT_USE} FROM organizations o WHERE o.id = ?`,
    scope.orgId,
  )
  if (!row) throw new Error(`organization ${scope.orgId} does not exist`)
  return toResourceUse(row)
}

export function putLimits(db: SqliteDatabase, orgId: string, limits: OwnLimits, atMs: number): boolean {
  if (!db.get('SELECT 1 FROM organizations WHERE id = ?', orgId)) return false
  const columns = Object.entries(LIMIT_COLUMNS)
  db.run(
    `INSERT OR REPLACE INTO organization_limits (org_id, ${columns.map(([, column]) => column).join(', ')}, updated_at_ms)
     VALUES (?, ${columns.map(() => '?').join(', ')}, ?)`,
    orgId,
    ...columns.map(([name]) => limits[name as keyof OwnLimits] ?? null),
    atMs,
  )
  return true
}

export function listResourceUse(db: SqliteDatabase): OrganizationUse[] {
  return db
    .all<OrganizationUseRow & LimitsRow & Record<string, unknown>>(
      `SELECT o.id, o.name, ${SELECT_LIMITS}, ${SELECT_USE}
       FROM organizations o LEFT JOIN organization_limits l ON l.org_id = o.id ORDER BY o.id`,
    )
    .map((row) => ({ orgId: row.id, name: row.name, limits: toOwnLimits(row), use: toResourceUse(row) }))
}

/**
 * Whether `adding` more would be too many. `defaultMax` holds for organizations without a limit of their own; absent: nobody
 * asked for a check.
 */
export function isFull(
  db: SqliteDatabase,
  { orgId }: OrgScope,
  resource: CountedResource,
  defaultMax: number | undefined,
  adding = 1,
): boolean {
  if (defaultMax === undefined) return false
  const own = db.get<{ own: number | null }>(
    `SELECT ${LIMIT_COLUMNS[resource]} AS own FROM organization_limits WHERE org_id = ?`,
    orgId,
  )
  const max = own?.own ?? defaultMax
  if (max === 0) return false
  const stored = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM ${COUNTED_ROWS[resource]} = ?`,
    orgId,
  )
  return (stored?.count ?? 0) + adding > max
}
