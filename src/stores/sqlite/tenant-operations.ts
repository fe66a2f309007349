import {
  type ApiKey,
  DEFAULT_PROJECT,
  type Environment,
  type Organization,
  type OrgScope,
  type Principal,
  type Project,
  type ProjectScope,
} from '../../domain/tenant.ts'
import type { CallerNames, CallerScope, NewApiKey, NewOrganization } from '../../ports/storage.ts'
import { SELECT_LIMITS } from '../shared/limit-rows.ts'
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
} from '../shared/tenant-rows.ts'
import { isFull } from './limit-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Enough to need new pages of the file. */
const PROBE_BYTES = 65_536

export function findPrincipal(
  db: SqliteDatabase,
  secretHash: string,
): { principal: Principal; secretHash: string } | undefined {
  const row = db.get<PrincipalRow>(
    `SELECT k.id, k.org_id, e.project_id, k.env_project_id, e.slug AS environment, k.scopes, o.is_operator,
       p.slug AS project_slug, k.secret_hash, ${SELECT_LIMITS}
     FROM api_keys k
     JOIN environments e ON e.env_project_id = k.env_project_id
     JOIN projects p ON p.id = e.project_id
     JOIN organizations o ON o.id = k.org_id
     LEFT JOIN organization_limits l ON l.org_id = k.org_id
     WHERE k.secret_hash = ? AND k.revoked_at_ms IS NULL`,
    secretHash,
  )
  return row && toPrincipal(row)
}

export function isEmpty(db: SqliteDatabase): boolean {
  return db.get('SELECT 1 FROM organizations LIMIT 1') === undefined
}

export function createOrganization(db: SqliteDatabase, draft: NewOrganization): 'created' | 'exists' {
  const { organization, project, keys } = draft
  if (organization.isOperator && !isEmpty(db)) return 'exists'
  if (keys.some(({ secretHash }) => secretIsStored(db, secretHash))) return 'exists'
  db.run(
    'INSERT INTO organizations (id, name, is_operator, retention_hours, created_at_ms) VALUES (?, ?, ?, ?, ?)',
    organization.id,
    organization.name,
    organization.isOperator ? 1 : 0,
    organization.retentionHours,
    organization.createdAtMs,
  )
  const scope = { orgId: organization.id }
  createProject(db, scope, project)
  for (const key of keys) createApiKey(db, scope, key)
  return 'created'
}

export function listOrganizations(db: SqliteDatabase): Organization[] {
  const rows = db.all<OrganizationRow>(
    'SELECT id, name, is_operator, retention_hours, created_at_ms FROM organizations ORDER BY id',
  )
  return rows.map(toOrganization)
}

export function createProject(
  db: SqliteDatabase,
  scope: OrgScope,
  project: Project,
  projectsMax?: number,
): 'created' | 'exists' | 'full' {
  if (isFull(db, scope, 'projects', projectsMax)) return 'full'
  const inserted = db.run(
    `INSERT INTO projects (id, org_id, name, slug, number, created_at_ms)
     VALUES (?, ?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM projects), ?)
     ON CONFLICT (org_id, slug) DO NOTHING`,
    project.id,
    scope.orgId,
    project.name,
    project.slug,
    project.createdAtMs,
  )
  if (inserted === 0) return 'exists'
  for (const environment of project.environments) {
    createEnvironment(db, { ...scope, projectId: project.id }, environment, project.createdAtMs)
  }
  return 'created'
}

export function listProjects(db: SqliteDatabase, scope: OrgScope): Project[] {
  const projects = db.all<ListedProjectRow>(
    'SELECT id, name, slug, created_at_ms FROM projects WHERE org_id = ? ORDER BY id',
    scope.orgId,
  )
  const environments = db.all<EnvironmentRow>(
    `SELECT e.env_project_id, e.project_id, e.slug
     FROM environments e JOIN projects p ON p.id = e.project_id WHERE p.org_id = ? ORDER BY e.slug`,
    scope.orgId,
  )
  return toProjects(projects, environments)
}

export function createEnvironment(
  db: SqliteDatabase,
  scope: ProjectScope,
  environment: Environment,
  atMs: number,
): 'created' | 'exists' | 'no_project' {
  const project = db.get('SELECT 1 FROM projects WHERE org_id = ? AND id = ?', scope.orgId, scope.projectId)
  if (!project) return 'no_project'
  const inserted = db.run(
    `INSERT INTO environments (env_project_id, project_id, slug, created_at_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT (project_id, slug) DO NOTHING`,
    environment.envProjectId,
    scope.projectId,
    environment.slug,
    atMs,
  )
  return inserted === 1 ? 'created' : 'exists'
}

export function createApiKey(
  db: SqliteDatabase,
  scope: OrgScope,
  key: NewApiKey,
  keysMax?: number,
): ApiKey | 'no_environment' | 'full' {
  const place = db.get<{ env_project_id: string }>(
    `SELECT e.env_project_id FROM environments e JOIN projects p ON p.id = e.project_id
     WHERE p.org_id = ? AND p.id = ? AND e.slug = ?`,
    scope.orgId,
    key.projectId,
    key.environment,
  )
  if (!place) return 'no_environment'
  if (isFull(db, scope, 'apiKeys', keysMax)) return 'full'
  db.run(
    `INSERT INTO api_keys (id, org_id, env_project_id, name, hint, secret_hash, scopes, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    key.id,
    scope.orgId,
    place.env_project_id,
    key.name,
    key.hint,
    key.secretHash,
    key.scopes.join(' '),
    key.atMs,
  )
  return toCreatedKey(key, place.env_project_id)
}

export function nameCaller(db: SqliteDatabase, scope: CallerScope): CallerNames | undefined {
  const row = db.get<CallerNamesRow>(
    `SELECT o.name AS organization, o.retention_hours, p.name AS project, p.slug AS project_slug, k.name AS key_name
     FROM api_keys k
     JOIN environments e ON e.env_project_id = k.env_project_id
     JOIN projects p ON p.id = e.project_id
     JOIN organizations o ON o.id = p.org_id AND o.id = k.org_id
     WHERE o.id = ? AND p.id = ? AND e.env_project_id = ? AND k.id = ?`,
    scope.orgId,
    scope.projectId,
    scope.envProjectId,
    scope.keyId,
  )
  return row && toCallerNames(row)
}

export function listApiKeys(db: SqliteDatabase, scope: OrgScope): ApiKey[] {
  const rows = db.all<ApiKeyRow>(
    `SELECT k.id, k.name, k.hint, e.project_id, k.env_project_id, e.slug AS environment, k.scopes,
            k.created_at_ms, k.revoked_at_ms
     FROM api_keys k JOIN environments e ON e.env_project_id = k.env_project_id
     WHERE k.org_id = ? ORDER BY k.id`,
    scope.orgId,
  )
  return rows.map(toApiKey)
}

export function revokeApiKey(
  db: SqliteDatabase,
  scope: OrgScope,
  keyId: string,
  atMs: number,
): 'revoked' | 'not_found' | 'last_admin' {
  const ofOrganization = db.get<{ id: string }>(
    'SELECT id FROM projects WHERE org_id = ? AND slug = ?',
    scope.orgId,
    DEFAULT_PROJECT,
  )
  const decision = decideRevocation(listApiKeys(db, scope), keyId, ofOrganization?.id)
  if (decision !== 'revoked') return decision
  db.run('UPDATE api_keys SET revoked_at_ms = ? WHERE org_id = ? AND id = ?', atMs, scope.orgId, keyId)
  return 'revoked'
}

/** Returns when the store can be read at all. */
export function ping(db: SqliteDatabase): void {
  db.get('SELECT 1')
}

/** Writes a little and takes it away again, which needs free pages and room in the log. */
export function probeDisk(db: SqliteDatabase): void {
  db.run(
    "INSERT OR REPLACE INTO service_state (name, value) VALUES ('probe', hex(zeroblob(?)))",
    PROBE_BYTES / 2,
  )
  db.run("DELETE FROM service_state WHERE name = 'probe'")
}

function secretIsStored(db: SqliteDatabase, secretHash: string): boolean {
  return db.get('SELECT 1 FROM api_keys WHERE secret_hash = ?', secretHash) !== undefined
}
