import type {
  ApiKey,
  Environment,
  KeyScope,
  Organization,
  OrgScope,
  Principal,
  Project,
  ProjectScope,
} from '../../domain/tenant.ts'
import type { NewApiKey, NewOrganization } from '../../ports/storage.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function findPrincipal(
  db: SqliteDatabase,
  secretHash: string,
): { principal: Principal; secretHash: string } | undefined {
  const row = db.get<{
    id: string
    org_id: string
    project_id: string
    env_project_id: string
    environment: string
    scopes: string
    is_operator: number
    secret_hash: string
  }>(
    `SELECT k.id, k.org_id, e.project_id, k.env_project_id, e.slug AS environment, k.scopes, o.is_operator, k.secret_hash
     FROM api_keys k
     JOIN environments e ON e.env_project_id = k.env_project_id
     JOIN organizations o ON o.id = k.org_id
     WHERE k.secret_hash = ? AND k.revoked_at_ms IS NULL`,
    secretHash,
  )
  if (!row) return undefined
  return {
    secretHash: row.secret_hash,
    principal: {
      keyId: row.id,
      orgId: row.org_id,
      projectId: row.project_id,
      envProjectId: row.env_project_id,
      environment: row.environment,
      scopes: row.scopes.split(' ') as KeyScope[],
      isOperator: row.is_operator === 1,
    },
  }
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
  const rows = db.all<{
    id: string
    name: string
    is_operator: number
    retention_hours: number
    created_at_ms: number
  }>('SELECT id, name, is_operator, retention_hours, created_at_ms FROM organizations ORDER BY id')
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isOperator: row.is_operator === 1,
    retentionHours: row.retention_hours,
    createdAtMs: row.created_at_ms,
  }))
}

export function createProject(db: SqliteDatabase, scope: OrgScope, project: Project): 'created' | 'exists' {
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
  const projects = db.all<{ id: string; name: string; slug: string; created_at_ms: number }>(
    'SELECT id, name, slug, created_at_ms FROM projects WHERE org_id = ? ORDER BY id',
    scope.orgId,
  )
  const environments = db.all<{ env_project_id: string; project_id: string; slug: string }>(
    `SELECT e.env_project_id, e.project_id, e.slug
     FROM environments e JOIN projects p ON p.id = e.project_id WHERE p.org_id = ? ORDER BY e.slug`,
    scope.orgId,
  )
  return projects.map((row) => ({
    id: row.id,
    name: row.name,
    slug: row.slug,
    createdAtMs: row.created_at_ms,
    environments: environments
      .filter(({ project_id }) => project_id === row.id)
      .map(({ env_project_id, slug }) => ({ envProjectId: env_project_id, slug })),
  }))
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

export function createApiKey(db: SqliteDatabase, scope: OrgScope, key: NewApiKey): ApiKey | 'no_environment' {
  const place = db.get<{ env_project_id: string }>(
    `SELECT e.env_project_id FROM environments e JOIN projects p ON p.id = e.project_id
     WHERE p.org_id = ? AND p.id = ? AND e.slug = ?`,
    scope.orgId,
    key.projectId,
    key.environment,
  )
  if (!place) return 'no_environment'
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
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    projectId: key.projectId,
    envProjectId: place.env_project_id,
    environment: key.environment,
    scopes: key.scopes,
    createdAtMs: key.atMs,
  }
}

export function listApiKeys(db: SqliteDatabase, scope: OrgScope): ApiKey[] {
  const rows = db.all<{
    id: string
    name: string
    hint: string
    project_id: string
    env_project_id: string
    environment: string
    scopes: string
    created_at_ms: number
    revoked_at_ms: number | null
  }>(
    `SELECT k.id, k.name, k.hint, e.project_id, k.env_project_id, e.slug AS environment, k.scopes,
            k.created_at_ms, k.revoked_at_ms
     FROM api_keys k JOIN environments e ON e.env_project_id = k.env_project_id
     WHERE k.org_id = ? ORDER BY k.id`,
    scope.orgId,
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    hint: row.hint,
    projectId: row.project_id,
    envProjectId: row.env_project_id,
    environment: row.environment,
    scopes: row.scopes.split(' ') as KeyScope[],
    createdAtMs: row.created_at_ms,
    ...(row.revoked_at_ms === null ? {} : { revokedAtMs: row.revoked_at_ms }),
  }))
}

export function revokeApiKey(
  db: SqliteDatabase,
  scope: OrgScope,
  keyId: string,
  atMs: number,
): 'revoked' | 'not_found' | 'last_admin' {
  const active = listApiKeys(db, scope).filter(({ revokedAtMs }) => revokedAtMs === undefined)
  if (!active.some(({ id }) => id === keyId)) return 'not_found'
  const admins = active.filter(({ scopes }) => scopes.includes('admin'))
  if (admins.length === 1 && admins[0]?.id === keyId) return 'last_admin'
  db.run('UPDATE api_keys SET revoked_at_ms = ? WHERE org_id = ? AND id = ?', atMs, scope.orgId, keyId)
  return 'revoked'
}

/** Answers when the store can be read at all. */
export function ping(db: SqliteDatabase): void {
  db.get('SELECT 1')
}

function secretIsStored(db: SqliteDatabase, secretHash: string): boolean {
  return db.get('SELECT 1 FROM api_keys WHERE secret_hash = ?', secretHash) !== undefined
}
