import type { CountedResource, LimitName, OwnLimits, ResourceUse } from '../../domain/limits.ts'

export const LIMIT_COLUMNS: Readonly<Record<LimitName, string>> = {
  requestsPerSecond: 'requests_per_second',
  spansPerSecond: 'spans_per_second',
  storedBytes: 'stored_bytes',
  setups: 'setups',
  projects: 'projects',
  apiKeys: 'api_keys',
  customEvaluators: 'custom_evaluators',
}

/** The rows of each resource that count, up to the comparison with an organization: deleted setups and revoked keys do not. */
export const COUNTED_ROWS: Readonly<Record<CountedResource, string>> = {
  setups: 'setups AS counted WHERE counted.deleted_at_ms IS NULL AND counted.org_id',
  projects: 'projects AS counted WHERE counted.org_id',
  apiKeys: 'api_keys AS counted WHERE counted.revoked_at_ms IS NULL AND counted.org_id',
  customEvaluators: 'custom_evaluators AS counted WHERE counted.org_id',
}

/** The limits of organization `o`, where `l` is its row of limits if it has one. */
export const SELECT_LIMITS = Object.values(LIMIT_COLUMNS)
  .map((column) => `l.${column} AS ${column}_max`)
  .join(', ')

/** Usage of organization `o`. */
export const SELECT_USE = [
  ...Object.entries(COUNTED_ROWS).map(
    ([resource, rows]) =>
      `(SELECT count(*) FROM ${rows} = o.id) AS ${LIMIT_COLUMNS[resource as CountedResource]}`,
  ),
  `(SELECT CAST(coalesce(sum(b.bytes), 0) AS BIGINT) FROM projects p JOIN stored_bytes b ON b.project_number = p.number
    WHERE p.org_id = o.id) AS stored_bytes`,
].join(', ')

export type LimitsRow = Readonly<Record<`${string}_max`, number | null>>

export interface UseRow {
  readonly stored_bytes: number
  readonly setups: number
  readonly projects: number
  readonly api_keys: number
  readonly custom_evaluators: number
}

export interface OrganizationUseRow extends UseRow {
  readonly id: string
  readonly name: string
}

export function toOwnLimits(row: LimitsRow): OwnLimits {
  const limits: Partial<Record<LimitName, number>> = {}
  for (const [name, column] of Object.entries(LIMIT_COLUMNS)) {
    const limit = row[`${column}_max`]
    if (typeof limit === 'number') limits[name as LimitName] = limit
  }
  return limits
}

export function toResourceUse(row: UseRow): ResourceUse {
  return {
    storedBytes: row.stored_bytes,
    setups: row.setups,
    projects: row.projects,
    apiKeys: row.api_keys,
    customEvaluators: row.custom_evaluators,
  }
}
