import assert from 'node:assert/strict'
import type { Setup, SetupChange } from '../../src/domain/setup.ts'
import { type EnvironmentTenant, KEY_PERMISSIONS, type KeyPermission } from '../../src/domain/tenant.ts'
import type { NewApiKey, Storage } from '../../src/ports/storage.ts'

/** How a suite gets stores of one kind. */
export interface StorageHarness {
  readonly name: string
  /** An empty store. */
  open(): Promise<Storage>
  /** The same store again, as after a restart of the process. */
  reopen(storage: Storage): Promise<Storage>
  /** The content of all files of an open store, or of all rows where a server owns the files. */
  files(storage: Storage): Promise<Buffer[]>
}

export const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
export const charCount = { slug: 'char-count', evaluatorId: 'evaluator-char-count' }
export const wordCount = { slug: 'word-count', evaluatorId: 'evaluator-word-count' }
export const rule = {
  key: 'gen_ai.system',
  source: 'span_attributes',
  operator: 'equals',
  valueType: 'string',
  value: 'openai',
} as const

let counter = 0
/** Ids that sort in the order in which they were made. */
export const nextId = () => `id-${String(++counter).padStart(6, '0')}`

/** An empty store with one tenant in it. */
export async function storeWithTenant(
  harness: StorageHarness,
): Promise<{ storage: Storage; tenant: EnvironmentTenant }> {
  const storage = await harness.open()
  return { storage, tenant: await createTenant(storage, 'one') }
}

/** A new organization with one project and one key whose hash is `hash of <name>`. */
export async function createTenant(storage: Storage, name: string): Promise<EnvironmentTenant> {
  await newTenant(storage, name)
  const principal = (await storage.system.findPrincipal(`hash of ${name}`))?.principal
  assert.ok(principal)
  const { orgId, projectId, envProjectId } = principal
  return { orgId, projectId, envProjectId }
}

export function newTenant(storage: Storage, name: string): Promise<'created' | 'exists'> {
  const projectId = nextId()
  return storage.system.createOrganization({
    organization: { id: nextId(), name, isOperator: false, retentionHours: 720, createdAtMs: AT_MS },
    project: {
      id: projectId,
      name: 'Default',
      slug: 'default',
      environments: [{ envProjectId: nextId(), slug: 'prd' }],
      createdAtMs: AT_MS,
    },
    keys: [newKey(projectId, `hash of ${name}`, KEY_PERMISSIONS)],
  })
}

export function newKey(
  projectId: string,
  secretHash: string,
  permissions: readonly KeyPermission[],
): NewApiKey {
  return {
    id: nextId(),
    name: 'key',
    hint: 'abcd',
    secretHash,
    projectId,
    environment: 'prd',
    permissions,
    atMs: AT_MS,
  }
}

/** Stores a setup that must not exist yet. */
export async function create(
  storage: Storage,
  tenant: EnvironmentTenant,
  externalId: string,
  change: SetupChange,
): Promise<Setup> {
  const setup = await storage.createSetup(tenant, { id: nextId(), externalId, change }, AT_MS)
  assert.ok(setup !== 'exists' && setup !== 'full')
  return setup
}
