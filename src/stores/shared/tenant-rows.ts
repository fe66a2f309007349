import {
  type ApiKey,
  DEFAULT_PROJECT,
  type KeyPermission,
  type Organization,
  type Principal,
  type Project,
} from '../../domain/tenant.ts'
import type { CallerNames, NewApiKey } from '../../ports/storage.ts'
import { type LimitsRow, toOwnLimits } from './limit-rows.ts'

export interface PrincipalRow extends LimitsRow {
  readonly id: string
  readonly org_id: string
  readonly project_id: string
  readonly env_project_id: string
  readonly environment: string
  readonly scopes: string
  readonly is_operator: number
  readonly project_slug: string
  readonly secret_hash: string
}

export function toPrincipal(row: PrincipalRow): { principal: Principal; secretHash: string } {
  const limits = toOwnLimits(row)
  return {
    secretHash: row.secret_hash,
    principal: {
      keyId: row.id,
      orgId: row.org_id,
      projectId: row.project_id,
      envProjectId: row.env_project_id,
      environment: row.environment,
      permissions: toPermissions(row.scopes),
      isOperator: row.is_operator === 1,
      administersOrganization: row.project_slug === DEFAULT_PROJECT,
      ...(Object.keys(limits).length > 0 ? { limits } : {}),
    },
  }
}

export interface OrganizationRow {
  readonly id: string
  readonly name: string
  readonly is_operator: number
  readonly retention_hours: number
  readonly created_at_ms: number
}

export function toOrganization(row: OrganizationRow): Organization {
  return {
    id: row.id,
    name: row.name,
    isOperator: row.is_operator === 1,
    retentionHours: row.retention_hours,
    createdAtMs: row.created_at_ms,
  }
}

/** The columns that `nameCaller` selects. */
export interface CallerNamesRow {
  readonly organization: string
  readonly retention_hours: number
  readonly project: string
  readonly project_slug: string
  readonly key_name: string
}

/** The names of a caller from their row. */
export function toCallerNames(row: CallerNamesRow): CallerNames {
  return {
    organization: row.organization,
    retentionHours: row.retention_hours,
    project: row.project,
    projectSlug: row.project_slug,
    key: row.key_name,
  }
}

export interface ListedProjectRow {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly created_at_ms: number
}

export interface EnvironmentRow {
  readonly env_project_id: string
  readonly project_id: string
  readonly slug: string
}

export function toProjects(
  projects: readonly ListedProjectRow[],
  environments: readonly EnvironmentRow[],
): Project[] {
  const byProject = Map.groupBy(environments, ({ project_id }) => project_id)
  return projects.map((row) => ({
    id: row.id,
    name: row.name,
    slug: row.slug,
    createdAtMs: row.created_at_ms,
    environments: (byProject.get(row.id) ?? []).map(({ env_project_id, slug }) => ({
      envProjectId: env_project_id,
      slug,
    })),
  }))
}

export interface ApiKeyRow {
  readonly id: string
  readonly name: string
  readonly hint: string
  readonly project_id: string
  readonly env_project_id: string
  readonly environment: string
  readonly scopes: string
  readonly created_at_ms: number
  readonly revoked_at_ms: number | null
}

export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    projectId: row.project_id,
    envProjectId: row.env_project_id,
    environment: row.environment,
    permissions: toPermissions(row.scopes),
    createdAtMs: row.created_at_ms,
    ...(row.revoked_at_ms === null ? {} : { revokedAtMs: row.revoked_at_ms }),
  }
}

/** A key as it is listed, once it is stored in its environment. */
export function toCreatedKey(key: NewApiKey, envProjectId: string): ApiKey {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    projectId: key.projectId,
    envProjectId,
    environment: key.environment,
    permissions: key.permissions,
    createdAtMs: key.atMs,
  }
}

/** An organization keeps at least one key that administers all of it, as long as it has one; otherwise one admin key. */
export function decideRevocation(
  keys: readonly ApiKey[],
  keyId: string,
  defaultProjectId: string | undefined,
): 'revoked' | 'not_found' | 'last_admin' {
  const active = keys.filter(({ revokedAtMs }) => revokedAtMs === undefined)
  if (!active.some(({ id }) => id === keyId)) return 'not_found'
  const admins = active.filter(({ permissions }) => permissions.includes('admin'))
  const ofOrganization = admins.filter(({ projectId }) => projectId === defaultProjectId)
  const [last, ...others] = ofOrganization.length > 0 ? ofOrganization : admins
  return last?.id === keyId && others.length === 0 ? 'last_admin' : 'revoked'
}

function toPermissions(text: string): KeyPermission[] {
  return text.split(' ') as KeyPermission[]
}
