import type { Logger } from '../ports/logger.ts'
import type { Secrets } from '../ports/sealer.ts'
import { problemOfKey } from './provider-keys.ts'
import type { ControlDeps } from './setups.ts'

/** Organizations whose keys are looked at when the service starts; the page of the others shows theirs. */
const ORGANIZATIONS_MAX = 100

/**
 * Says at the start what would otherwise only be found out by the first question to a judge: that the secrets key cannot be used, or
 * that it is another one than provider keys were stored with, as after restoring a backup without it.
 */
export async function reportSecrets(
  { storage }: Pick<ControlDeps, 'storage'>,
  secrets: Secrets,
  logger: Logger,
): Promise<void> {
  const { problem } = secrets.state()
  const organizations = (await storage.system.listOrganizations()).slice(0, ORGANIZATIONS_MAX)
  for (const { id: orgId } of organizations) {
    for (const key of await storage.listProviderKeys({ orgId })) {
      const why = problemOfKey(secrets, { orgId }, key)
      if (why !== undefined)
        logger.error({ orgId, provider: key.provider, why }, 'a stored provider key cannot be opened')
    }
  }
  // On PostgreSQL the setting is a choice as long as nothing is stored.
  if (problem !== undefined && secrets.state().source === 'file')
    logger.error({ why: problem }, 'provider keys can neither be used nor stored')
}
