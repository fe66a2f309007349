import { createHash, randomBytes } from 'node:crypto'
import { notFound } from '../domain/errors.ts'
import type { ApiKey, KeyPermission, OrgTenant, Principal } from '../domain/tenant.ts'
import { invalidInput, type PublicError } from '../lib/public-error.ts'
import type { NewApiKey } from '../ports/storage.ts'
import { administersProject } from './administration.ts'
import { refuseFull } from './limits.ts'
import type { ControlDeps } from './setups.ts'

/** 256 bits, too many to guess. */
const SECRET_BYTES = 32
/** How much of a key people may see again, to tell keys apart. */
const HINT_CHARS = 4

/** A new random key. The prefix makes leaked keys easy to search for. */
export function newSecret(): string {
  return `tl_${randomBytes(SECRET_BYTES).toString('base64url')}`
}

/**
 * The stored form of a key. A plain hash is enough: made keys have 256 bits, so there is nothing to guess, and a slow
 * one would be paid again on every request.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** A request for a new key. */
export interface ApiKeyRequest {
  readonly name: string
  readonly projectId: string
  readonly environment: string
  readonly permissions: readonly KeyPermission[]
}

/** A key ready to be stored. */
export function draftKey({ clock, ids }: ControlDeps, request: ApiKeyRequest, secret: string): NewApiKey {
  return {
    ...request,
    id: ids.newId(),
    hint: secret.slice(-HINT_CHARS),
    secretHash: hashSecret(secret),
    atMs: clock.nowMs(),
  }
}

/** The keys that an admin key administers, revoked ones too. */
export async function listApiKeysOf({ storage }: ControlDeps, principal: Principal): Promise<ApiKey[]> {
  const keys = await storage.listApiKeys(principal)
  return keys.filter(({ projectId }) => administersProject(principal, projectId))
}

/** Makes and stores a key. This is the only time its secret is seen. */
export async function createApiKey(
  deps: ControlDeps,
  tenant: OrgTenant,
  request: ApiKeyRequest,
): Promise<{ key: ApiKey; secret: string }> {
  const secret = newSecret()
  const draft = draftKey(deps, request, secret)
  const key = await deps.storage.createApiKey(tenant, draft, deps.limits?.apiKeys)
  if (key === 'full') return refuseFull(deps, tenant, 'apiKeys')
  if (key === 'no_environment') throw noSuchEnvironment(request)
  return { key, secret }
}

/** The same for an admin key, which makes keys for the projects that it administers. */
export async function createApiKeyFor(
  deps: ControlDeps,
  principal: Principal,
  request: ApiKeyRequest,
): Promise<{ key: ApiKey; secret: string }> {
  if (!administersProject(principal, request.projectId)) throw noSuchEnvironment(request)
  return createApiKey(deps, principal, request)
}

/** Ends a key at once. */
export async function revokeApiKey(
  { storage, clock }: ControlDeps,
  tenant: OrgTenant,
  keyId: string,
): Promise<void> {
  const result = await storage.revokeApiKey(tenant, keyId, clock.nowMs())
  if (result === 'not_found') throw keyNotFound()
  if (result === 'last_admin') {
    throw invalidInput('this is the last key with the scope admin; create another one before you revoke it')
  }
}

/** The same for an admin key, which revokes the keys of the projects that it administers. */
export async function revokeApiKeyFor(deps: ControlDeps, principal: Principal, keyId: string): Promise<void> {
  const keys = await listApiKeysOf(deps, principal)
  if (!keys.some(({ id }) => id === keyId)) throw keyNotFound()
  await revokeApiKey(deps, principal, keyId)
}

function keyNotFound(): PublicError {
  return notFound('API key not found')
}

function noSuchEnvironment({ environment, projectId }: ApiKeyRequest): PublicError {
  return invalidInput(`environment ${environment} does not exist in project ${projectId}`)
}
