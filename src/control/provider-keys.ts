import { notFound } from '../domain/errors.ts'
import type { Provider } from '../domain/judgement.ts'
import { mayNameAddress } from '../domain/provider-address.ts'
import type { OrgTenant } from '../domain/tenant.ts'
import { defined } from '../lib/defined.ts'
import { invalidInput, PublicError } from '../lib/public-error.ts'
import type { StoredProviderKey } from '../ports/judge-storage.ts'
import type { Secrets } from '../ports/sealer.ts'
import type { ControlDeps } from './setups.ts'

/** The last characters of a key that are shown to people. */
const HINT_CHARS = 4
/** Providers that have no address of their own: it belongs to the account. */
const ADDRESSED_PROVIDERS: readonly Provider[] = ['azure', 'bedrock']

/** The settings for stored keys. */
export interface ProviderKeyVault {
  readonly secrets: Secrets
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
  { storage, clock, onJudgesChanged }: ControlDeps,
  { secrets, baseUrls }: ProviderKeyVault,
  tenant: OrgTenant,
  { provider, apiKey, baseUrl }: NewProviderKey,
): Promise<StoredProviderKey> {
  requireAddress(baseUrls, provider, baseUrl)
  const key: StoredProviderKey = {
    provider,
    ...defined({ baseUrl }),
    sealed: secrets.seal(apiKey, contextOf(tenant, provider)),
    hint: apiKey.slice(-HINT_CHARS),
    updatedAtMs: clock.nowMs(),
  }
  await storage.putProviderKey(tenant, key)
  // With its first key an organization may have another judge than before.
  onJudgesChanged?.(tenant)
  return key
}

/** Refuses an address that an organization may not name at that provider, and the lack of one where it is needed. */
export function requireAddress(
  allowed: readonly string[],
  provider: Provider,
  baseUrl: string | undefined,
): void {
  if (baseUrl === undefined) {
    if (ADDRESSED_PROVIDERS.includes(provider)) throw invalidInput(`base_url is required for ${provider}`)
    return
  }
  if (mayNameAddress(provider, baseUrl, allowed)) return
  throw invalidInput(
    'base_url is not one that the operator of this service allows; ASSAY_PROVIDER_BASE_URLS lists them',
  )
}

/** Opens a stored key; throws a public error that says what to do when it was sealed with a key that is not there. */
export function openProviderKey(
  secrets: Secrets,
  tenant: OrgTenant,
  { provider, sealed }: StoredProviderKey,
): string {
  return secrets.open(sealed, contextOf(tenant, provider))
}

/** Why a stored key cannot be opened, in words; undefined where it can. */
export function problemOfKey(
  secrets: Secrets,
  tenant: OrgTenant,
  key: StoredProviderKey,
): string | undefined {
  try {
    openProviderKey(secrets, tenant, key)
    return undefined
  } catch (error) {
    if (error instanceof PublicError) return error.message
    throw error
  }
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
  { storage, onJudgesChanged }: ControlDeps,
  tenant: OrgTenant,
  provider: Provider,
): Promise<void> {
  if (!(await storage.deleteProviderKey(tenant, provider))) throwKeyNotFound()
  onJudgesChanged?.(tenant)
}

// A row that is copied to another organization or provider does not open there.
function contextOf({ orgId }: OrgTenant, provider: string): string {
  return `provider key of ${orgId} at ${provider}`
}

function throwKeyNotFound(): never {
  throw notFound('the organization has no key at this provider')
}
