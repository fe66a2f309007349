import {
  type ApiKey,
  DEFAULT_PROJECT,
  type Environment,
  type Organization,
  type OrgTenant,
  type Principal,
  type Project,
  type ProjectTenant,
} from '../../domain/tenant.ts'
import type { CallerNames, CallerTenant, NewApiKey, NewOrganization } from '../../ports/storage.ts'
import { isFull } from './limit-operations.ts'
import { SELECT_LIMITS } from './limit-rows.ts'
import type { Sql } from './sql.ts'
import {
  type ApiKeyRow,
  type CallerNamesRow,
  decideRevocation,
  type EnvironmentRow,
  type ListedProjectRow,
  type OrganizationRow,
  type PrincipalRow,
  toApiKey,
  toCallerNames,
  toCreatedKey,
  toOrganization,
  toPrincipal,
  toProjects,
} from './tenant-rows.ts'

export async function findPrincipal(
  db: Sql,
  secretHash: string,
): Promise<{ principal: Principal; secretHash: string } | undefined> {
  const row = await db.get<PrincipalRow>(
    `SELECT k.id, k.org_id, e.project_id, k.env_project_id, e.slug AS environment, k.scopes, o.is_operator,
       p.slug AS project_slug, k.secret_hash, ${SELECT_LIMITS}
     FROM api_keys k
     JOIN environments e ON e.env_project_id = k.env_project_id
     JOIN projects p ON p.id = e.project_id
     JOIN organizations o ON o.id = k.org_id
     LEFT JOIN organization_limits l ON l.org_id = k.org_id
     WHERE k.secret_hash = $1 AND k.revoked_at_ms IS NULL`,
    secretHash,
  )
  return row && toPrincipal(row)
}

export async function isEmpty(db: Sql): Promise<boolean> {
  return (await db.get('SELECT 1 FROM organizations LIMIT 1')) === undefined
}

export async function createOrganization(tx: Sql, draft: NewOrganization): Promise<'created' | 'exists'> {
  const { organization, project, keys } = draft
  // Two processes may start on an empty store at the same time; the second one has to see what the first one made.
  await tx.lock.organizations()
  if (organization.isOperator && !(await isEmpty(tx))) return 'exists'
  if (await isAnyStored(tx, keys)) return 'exists'
  await tx.run(
    'INSERT INTO organizations (id, name, is_operator, retention_hours, created_at_ms) VALUES ($1, $2, $3, $4, $5)',
    organization.id,
    organization.name,
    organization.isOperator ? 1 : 0,
    organization.retentionHours,
    organization.createdAtMs,
  )
  const tenant = { orgId: organization.id }
  await createProject(tx, tenant, project)
  for (const key of keys) await createApiKey(tx, tenant, key)
  return 'created'
}

export async function listOrganizations(db: Sql): Promise<Organization[]> {
  const rows = await db.all<OrganizationRow>(
    'SELECT id, name, is_operator, retention_hours, created_at_ms FROM organizations ORDER BY id',
  )
  return rows.map(toOrganization)
}

export async function createProject(
  tx: Sql,
  tenant: OrgTenant,
  project: Project,
  projectsMax?: number,
): Promise<'created' | 'exists' | 'full'> {
  if (await isFull(tx, tenant, 'projects', projectsMax)) return 'full'
  const inserted = await tx.run(
    `INSERT INTO projects (id, org_id, name, slug, number, created_at_ms)
     VALUES ($1, $2, $3, $4, ${tx.dialect.nextProjectNumber}, $5)
     ON CONFLICT (org_id, slug) DO NOTHING`,
    project.id,
    tenant.orgId,
    project.name,
    project.slug,
    project.createdAtMs,
  )
  if (inserted === 0) return 'exists'
  for (const environment of project.environments)
    await createEnvironment(tx, { ...tenant, projectId: project.id }, environment, project.createdAtMs)
  return 'created'
}

export async function listProjects(db: Sql, tenant: OrgTenant): Promise<Project[]> {
  const projects = await db.all<ListedProjectRow>(
    'SELECT id, name, slug, created_at_ms FROM projects WHERE org_id = $1 ORDER BY id',
    tenant.orgId,
  )
  const environments = await db.all<EnvironmentRow>(
    `SELECT e.env_project_id, e.project_id, e.slug
     FROM environments e JOIN projects p ON p.id = e.project_id WHERE p.org_id = $1 ORDER BY e.slug`,
    tenant.orgId,
  )
  return toProjects(projects, environments)
}

export async function createEnvironment(
  tx: Sql,
  tenant: ProjectTenant,
  environment: Environment,
  atMs: number,
): Promise<'created' | 'exists' | 'no_project'> {
  const project = await tx.get(
    'SELECT 1 FROM projects WHERE org_id = $1 AND id = $2',
    tenant.orgId,
    tenant.projectId,
  )
  if (!project) return 'no_project'
  const inserted = await tx.run(
    `INSERT INTO environments (env_project_id, project_id, slug, created_at_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (project_id, slug) DO NOTHING`,
    environment.envProjectId,
    tenant.projectId,
    environment.slug,
    atMs,
  )
  return inserted === 1 ? 'created' : 'exists'
}

export async function createApiKey(
  tx: Sql,
  tenant: OrgTenant,
  key: NewApiKey,
  keysMax?: number,
): Promise<ApiKey | 'no_environment' | 'full'> {
  const place = await tx.get<{ env_project_id: string }>(
    `SELECT e.env_project_id FROM environments e JOIN projects p ON p.id = e.project_id
     WHERE p.org_id = $1 AND p.id = $2 AND e.slug = $3`,
    tenant.orgId,
    key.projectId,
    key.environment,
  )
  if (!place) return 'no_environment'
  if (await isFull(tx, tenant, 'apiKeys', keysMax)) return 'full'
  await tx.run(
    `INSERT INTO api_keys (id, org_id, env_project_id, name, hint, secret_hash, scopes, created_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    key.id,
    tenant.orgId,
    place.env_project_id,
    key.name,
    key.hint,
    key.secretHash,
    key.permissions.join(' '),
    key.atMs,
  )
  return toCreatedKey(key, place.env_project_id)
}

export async function nameCaller(db: Sql, tenant: CallerTenant): Promise<CallerNames | undefined> {
  const row = await db.get<CallerNamesRow>(
    `SELECT o.name AS organization, o.retention_hours, p.name AS project, p.slug AS project_slug, k.name AS key_name
     FROM api_keys k
     JOIN environments e ON e.env_project_id = k.env_project_id
     JOIN projects p ON p.id = e.project_id
     JOIN organizations o ON o.id = p.org_id AND o.id = k.org_id
     WHERE o.id = $1 AND p.id = $2 AND e.env_project_id = $3 AND k.id = $4`,
    tenant.orgId,
    tenant.projectId,
    tenant.envProjectId,
    tenant.keyId,
  )
  return row && toCallerNames(row)
}

export async function listApiKeys(db: Sql, tenant: OrgTenant): Promise<ApiKey[]> {
  const rows = await db.all<ApiKeyRow>(
    `SELECT k.id, k.name, k.hint, e.project_id, k.env_project_id, e.slug AS environment, k.scopes,
            k.created_at_ms, k.revoked_at_ms
     FROM api_keys k JOIN environments e ON e.env_project_id = k.env_project_id
     WHERE k.org_id = $1 ORDER BY k.id`,
    tenant.orgId,
  )
  return rows.map(toApiKey)
}

export async function revokeApiKey(
  tx: Sql,
  tenant: OrgTenant,
  keyId: string,
  atMs: number,
): Promise<'revoked' | 'not_found' | 'last_admin'> {
  // Of the last two admin keys only one may go: who revokes next sees what was revoked before.
  await tx.lock.organization(tenant)
  const ofOrganization = await tx.get<{ id: string }>(
    'SELECT id FROM projects WHERE org_id = $1 AND slug = $2',
    tenant.orgId,
    DEFAULT_PROJECT,
  )
  const decision = decideRevocation(await listApiKeys(tx, tenant), keyId, ofOrganization?.id)
  if (decision !== 'revoked') return decision
  await tx.run(
    'UPDATE api_keys SET revoked_at_ms = $1 WHERE org_id = $2 AND id = $3',
    atMs,
    tenant.orgId,
    keyId,
  )
  return 'revoked'
}

async function isAnyStored(tx: Sql, keys: readonly NewApiKey[]): Promise<boolean> {
  const isOne = tx.dialect.oneOf('secret_hash', '$1')
  const hashes = keys.map(({ secretHash }) => secretHash)
  return (await tx.get(`SELECT 1 FROM api_keys WHERE ${isOne}`, hashes)) !== undefined
}
