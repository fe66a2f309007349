import type { KeyFile } from '../ports/key-file.ts'
import type { Logger } from '../ports/logger.ts'
import { hashSecret, newSecret } from './api-keys.ts'
import { createFirstOrganization } from './organizations.ts'
import type { ControlDeps } from './setups.ts'

/** Where the operator finds the first key. */
export type FirstKey =
  | { readonly kind: 'made'; readonly secret: string; readonly file: string }
  | { readonly kind: 'in_file'; readonly file: string }
  | { readonly kind: 'given' }
  | { readonly kind: 'unknown' }

/**
 * Sees to it that a store has a key. On an empty one the configured key, or else a random one, becomes the key of the
 * default organization; on any other the configured key is only compared with what is stored.
 */
export async function settleFirstKey(
  deps: ControlDeps,
  configured: string | undefined,
  keyFile: KeyFile,
  logger: Logger,
): Promise<FirstKey> {
  if (await deps.storage.system.isEmpty()) return makeFirstKey(deps, configured, keyFile)
  if (configured !== undefined) {
    if (await deps.storage.system.findPrincipal(hashSecret(configured))) return { kind: 'given' }
    logger.warn({}, 'ASSAY_API_KEY is ignored: the store has keys already, and it is none of them')
  }
  return keyFile.read() === undefined ? { kind: 'unknown' } : { kind: 'in_file', file: keyFile.path }
}

async function makeFirstKey(
  deps: ControlDeps,
  configured: string | undefined,
  keyFile: KeyFile,
): Promise<FirstKey> {
  if (configured !== undefined) {
    await createFirstOrganization(deps, configured)
    return { kind: 'given' }
  }
  // The file comes first: should the process die before the store knows the key, the next start takes it from there.
  const secret = keyFile.read() ?? newSecret()
  keyFile.write(secret)
  await createFirstOrganization(deps, secret)
  return { kind: 'made', secret, file: keyFile.path }
}
