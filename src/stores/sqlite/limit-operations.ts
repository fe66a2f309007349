import type { CountedResource } from '../../domain/limits.ts'
import type { OrgScope } from '../../domain/tenant.ts'
import { COUNTED_ROWS, LIMIT_COLUMNS } from '../shared/limit-rows.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

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
