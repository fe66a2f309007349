import { parseArgs } from 'node:util'
import { openControl } from '../app/open-core.ts'
import { readConfig } from '../config.ts'
import { createApiKey, revokeApiKey } from '../control/api-keys.ts'
import type { ControlDeps } from '../control/setups.ts'
import {
  DEFAULT_ENVIRONMENT,
  DEFAULT_KEY_PERMISSIONS,
  KEY_PERMISSIONS,
  type KeyPermission,
  type OrgTenant,
} from '../domain/tenant.ts'
import { UsageError } from './usage-error.ts'

const OPTIONS = {
  org: { type: 'string' },
  project: { type: 'string' },
  environment: { type: 'string', default: DEFAULT_ENVIRONMENT },
  scopes: { type: 'string', default: DEFAULT_KEY_PERMISSIONS.join(',') },
  name: { type: 'string', default: '' },
} as const

/** `assay keys ...`: works on the store itself, also while the service runs, and needs no key. */
export async function runKeysCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { values, positionals } = readArguments(args)
  const [action, keyId] = positionals
  if (action !== 'list' && action !== 'create' && action !== 'revoke') {
    throw new UsageError(action ? `unknown command keys ${action}` : 'keys needs list, create or revoke')
  }
  if (action === 'revoke' && !keyId) throw new UsageError('keys revoke needs the id of a key')
  const permissions = parsePermissions(values.scopes)

  const deps = await openControl(readConfig(env).config)
  try {
    const tenant = await findOrganization(deps, values.org)
    if (action === 'list') await listKeys(deps, tenant)
    if (action === 'create') await createKey(deps, tenant, { ...values, permissions })
    if (action === 'revoke' && keyId) {
      await revokeApiKey(deps, tenant, keyId)
      print('revoked')
    }
  } finally {
    await deps.storage.close()
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

async function listKeys({ storage }: ControlDeps, tenant: OrgTenant): Promise<void> {
  for (const key of await storage.listApiKeys(tenant)) {
    const state =
      key.revokedAtMs === undefined ? 'works' : `revoked ${new Date(key.revokedAtMs).toISOString()}`
    print(
      `${key.id}  ...${key.hint}  ${key.environment}  ${key.permissions.join(',')}  ${state}  ${key.name}`.trimEnd(),
    )
  }
}

async function createKey(
  deps: ControlDeps,
  tenant: OrgTenant,
  request: { project?: string | undefined; environment: string; name: string; permissions: KeyPermission[] },
): Promise<void> {
  const [first] = await deps.storage.listProjects(tenant)
  const projectId = request.project ?? first?.id
  if (!projectId) throw new UsageError('the organization has no project')
  const { name, environment, permissions } = request
  const { key, secret } = await createApiKey(deps, tenant, { name, projectId, environment, permissions })
  print(secret)
  process.stderr.write(`key ${key.id} for ${key.environment}, shown this once\n`)
}

async function findOrganization({ storage }: ControlDeps, wanted: string | undefined): Promise<OrgTenant> {
  const organizations = await storage.system.listOrganizations()
  const [found, ...others] = organizations.filter(({ id }) => wanted === undefined || id === wanted)
  if (!found)
    throw new UsageError(wanted ? `no organization ${wanted}` : 'the store is empty: run assay start first')
  if (others.length > 0) {
    const choices = organizations.map(({ id, name }) => `  ${id}  ${name}`).join('\n')
    throw new UsageError(`there are several organizations, say which with --org:\n${choices}`)
  }
  return { orgId: found.id }
}

function parsePermissions(text: string): KeyPermission[] {
  const names = text.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !KEY_PERMISSIONS.includes(name as KeyPermission))
  if (wrong !== undefined)
    throw new UsageError(`unknown scope ${wrong}; the scopes are ${KEY_PERMISSIONS.join(', ')}`)
  return KEY_PERMISSIONS.filter((permission) => names.includes(permission))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
