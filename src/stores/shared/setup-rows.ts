import type { EvaluationScope } from '../../domain/evaluator.ts'
import type { EvaluatorOverride, Setup, SetupEntry } from '../../domain/setup.ts'
import type { EntryStatus, SetupStatus } from '../../domain/setup-status.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'

export interface SetupRow {
  readonly id: string
  readonly external_id: string
  readonly org_id: string
  readonly project_id: string
  readonly env_project_id: string
  readonly entity_type: string
  readonly entity_value: string
  readonly status: SetupStatus
  readonly version: number
  readonly created_at_ms: number
  readonly updated_at_ms: number
  readonly selector: string
}

export interface EntryRow {
  readonly setup_id: string
  readonly slug: string
  readonly evaluator_id: string
  readonly override: string
  readonly status: EntryStatus
  readonly binding_id: string | null
  readonly error_message: string | null
  readonly processed_at_ms: number | null
  readonly bound_scope: EvaluationScope | null
}

export const SETUP_COLUMNS = `
  SELECT s.id, s.external_id, s.org_id, s.project_id, s.env_project_id, s.entity_type, s.entity_value,
         s.status, s.version, s.created_at_ms, s.updated_at_ms, v.selector
  FROM setups s JOIN setup_versions v ON v.setup_id = s.id AND v.version = s.version`

export const ENTRY_COLUMNS = `
  SELECT setup_id, slug, evaluator_id, override, status, binding_id, error_message, processed_at_ms,
         (SELECT v.scope FROM monitors m JOIN monitor_versions v ON v.number = m.version_number
          WHERE m.id = setup_entries.binding_id) AS bound_scope
  FROM setup_entries`

export function toSetup(row: SetupRow, entries: SetupEntry[]): Setup {
  return {
    id: row.id,
    externalId: row.external_id,
    orgId: row.org_id,
    projectId: row.project_id,
    envProjectId: row.env_project_id,
    entityType: row.entity_type,
    entityValue: row.entity_value,
    selector: JSON.parse(row.selector),
    entries,
    status: row.status,
    version: row.version,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}

/** The entries of each setup, also of those that have none; the rows come in the order of their positions. */
export function toEntries(setupIds: readonly string[], rows: readonly EntryRow[]): Map<string, SetupEntry[]> {
  const bySetup = new Map<string, SetupEntry[]>(setupIds.map((id) => [id, []]))
  for (const row of rows) bySetup.get(row.setup_id)?.push(toEntry(row))
  return bySetup
}

/** A principal carries more than a setup should: only these three travel into it. */
export function ownerOf({ orgId, projectId, envProjectId }: EnvironmentTenant): EnvironmentTenant {
  return { orgId, projectId, envProjectId }
}

function toEntry(row: EntryRow): SetupEntry {
  return {
    slug: row.slug,
    evaluatorId: row.evaluator_id,
    override: JSON.parse(row.override) as EvaluatorOverride,
    status: row.status,
    ...(row.binding_id === null ? {} : { bindingId: row.binding_id }),
    ...(row.error_message === null ? {} : { errorMessage: row.error_message }),
    ...(row.processed_at_ms === null ? {} : { processedAtMs: row.processed_at_ms }),
    ...(row.bound_scope === null ? {} : { boundScope: row.bound_scope }),
  }
}
