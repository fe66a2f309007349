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
  if (await deps.storage.system.isEmpty()) {
    const made = await makeFirstKey(deps, configured, keyFile)
    if (made) return made
  }
  if (configured !== undefined) {
    if (await isStored(deps, configured)) return { kind: 'given' }
    logger.warn({}, 'ASSAY_API_KEY is ignored: the store has keys already, and it is none of them')
  }
  // The key in the file may have been revoked since; then naming the file would only mislead.
  const kept = keyFile.read()
  const isUsable = kept !== undefined && (await isStored(deps, kept))
  return isUsable ? { kind: 'in_file', file: keyFile.path } : { kind: 'unknown' }
}

/** Undefined when another process that started at the same time was faster. */
async function makeFirstKey(
  deps: ControlDeps,
  configured: string | undefined,
  keyFile: KeyFile,
): Promise<FirstKey | undefined> {
  // The file comes first: should the process die before the store knows the key, the next start takes it from there.
  const secret = configured ?? keyFile.keep(newSecret())
  if (!(await createFirstOrganization(deps, secret))) return undefined
  return configured === undefined ? { kind: 'made', secret, file: keyFile.path } : { kind: 'given' }
}

async function isStored(deps: ControlDeps, secret: string): Promise<boolean> {
  return (await deps.storage.system.findPrincipal(hashSecret(secret))) !== undefined
}
