import { notFound } from '../domain/errors.ts'
import type { Provider } from '../domain/judgement.ts'
import type { OrgTenant } from '../domain/tenant.ts'
import { defined } from '../lib/defined.ts'
import { invalidInput, PublicError } from '../lib/public-error.ts'
import type { StoredProviderKey } from '../ports/judge-storage.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { ControlDeps } from './setups.ts'

/** The last characters of a key that are shown to people. */
const HINT_CHARS = 4
/** Providers that have no address of their own: it belongs to the account. */
const ADDRESSED_PROVIDERS: readonly Provider[] = ['azure', 'bedrock']

/** The settings for stored keys. */
export interface ProviderKeyVault {
  /** Undefined when the operator gave no key to encrypt with: then none can be stored. */
  readonly sealer?: Sealer
  /** The addresses that organizations may name; the service would call any for them, also those only it can reach. */
  readonly baseUrls: readonly string[]
}

/** A key as it comes in. */
export interface NewProviderKey {
  readonly provider: Provider
  readonly apiKey: string
  readonly baseUrl?: string
}

/** Encrypts a key and stores it in place of the one that the organization had at the provider. */
export async function putProviderKey(
  { storage, clock, onEvaluatorsChanged }: ControlDeps,
  { sealer, baseUrls }: ProviderKeyVault,
  tenant: OrgTenant,
  { provider, apiKey, baseUrl }: NewProviderKey,
): Promise<StoredProviderKey> {
  if (!sealer) {
    throw new PublicError(
      'unavailable',
      'keys cannot be stored because there is nothing to encrypt them with: set ASSAY_SECRETS_KEY to the output of openssl rand -base64 32',
    )
  }
  if (baseUrl === undefined && ADDRESSED_PROVIDERS.includes(provider))
    throw invalidInput(`base_url is required for ${provider}`)
  if (baseUrl !== undefined && !baseUrls.includes(baseUrl)) {
    throw invalidInput(
      'base_url is not one that the operator of this service allows; ASSAY_PROVIDER_BASE_URLS lists them',
    )
  }
  const key: StoredProviderKey = {
    provider,
    ...defined({ baseUrl }),
    sealed: sealer.seal(apiKey, contextOf(tenant, provider)),
    hint: apiKey.slice(-HINT_CHARS),
    updatedAtMs: clock.nowMs(),
  }
  await storage.putProviderKey(tenant, key)
  // With its first key an organization may have another judge than before.
  onEvaluatorsChanged?.()
  return key
}

/** Opens a stored key; throws when it was sealed for another organization or under another key of the environment. */
export function openProviderKey(
  sealer: Sealer | undefined,
  tenant: OrgTenant,
  { provider, sealed }: StoredProviderKey,
): string {
  if (!sealer) throw new Error('there is no key to open it with')
  return sealer.open(sealed, contextOf(tenant, provider))
}

/** The key of the organization at a provider, or a `not found` error. */
export async function getProviderKey(
  { storage }: ControlDeps,
  tenant: OrgTenant,
  provider: Provider,
): Promise<StoredProviderKey> {
  const keys = await storage.listProviderKeys(tenant)
  return keys.find((key) => key.provider === provider) ?? throwKeyNotFound()
}

/** Forgets a key. */
export async function deleteProviderKey(
  { storage, onEvaluatorsChanged }: ControlDeps,
  tenant: OrgTenant,
  provider: Provider,
): Promise<void> {
  if (!(await storage.deleteProviderKey(tenant, provider))) throwKeyNotFound()
  onEvaluatorsChanged?.()
}

// A row that is copied to another organization or provider does not open there.
function contextOf({ orgId }: OrgTenant, provider: string): string {
  return `provider key of ${orgId} at ${provider}`
}

function throwKeyNotFound(): never {
  throw notFound('the organization has no key at this provider')
}
