import { timingSafeEqual } from 'node:crypto'
import { hashSecret } from '../control/api-keys.ts'
import { forbidden, unauthorized } from '../domain/errors.ts'
import type { KeyPermission, Principal } from '../domain/tenant.ts'
import type { SystemStorage } from '../ports/storage.ts'

// One or more spaces and nothing after the key; a key is 16 to 256 visible ASCII characters.
const BEARER = /^Bearer +([!-~]{16,256}) *$/i

/** The secret of an Authorization header; undefined when it has none that could be a key. */
export function bearerSecret(header: string | undefined): string | undefined {
  return BEARER.exec(header ?? '')?.[1]
}

/** Where callers are looked up. */
export interface PrincipalSource {
  readonly system: Pick<SystemStorage, 'findPrincipal'>
}

/**
 * The caller behind an Authorization header. The store is asked every time, never a cache, so that a revoked key stops
 * working at once, whichever process revoked it.
 */
export async function authenticate(storage: PrincipalSource, header: string | undefined): Promise<Principal> {
  const secret = bearerSecret(header)
  if (!secret) throw unauthorized()
  const hash = hashSecret(secret)
  const found = await storage.system.findPrincipal(hash)
  // The lookup goes by the hash, which tells an attacker nothing about a key; the last word is still constant-time.
  if (!found || !timingSafeEqual(Buffer.from(found.secretHash), Buffer.from(hash))) throw unauthorized()
  return found.principal
}

/** Refuses a key that has none of the scopes an operation can be called with, and names them. */
export function requirePermission(principal: Principal, anyOf: readonly KeyPermission[]): void {
  if (anyOf.some((permission) => principal.permissions.includes(permission))) return
  throw forbidden(`forbidden: this API key lacks the scope ${anyOf.join(' or ')}`)
}
