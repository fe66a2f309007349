import { isProvider, type ModelRef, PROVIDERS, type Provider } from '../../domain/judgement.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import type { OrgTenant } from '../../domain/tenant.ts'
import { defined } from '../../lib/defined.ts'
import type { JudgeStorage, StoredProviderKey } from '../../ports/judge-storage.ts'
import type { ModelAccess } from '../../ports/model-client.ts'
import { KeptFor } from './kept-for.ts'

/** A changed key takes effect after this time at the latest. */
const KEYS_KEPT_MS = 3_000
const ORGANIZATIONS_KEPT_MAX = 10_000

/** The model that judges for an organization that brought a key, where the operator named none. */
const USUAL_MODELS: Partial<Record<Provider, string>> = {
  openai: 'gpt-4o',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
}

/** The operator's configuration for all organizations. */
export interface OperatorAccess {
  readonly defaultModel?: ModelRef
  /** For models of the default model's provider. */
  readonly judge?: ModelAccess
  /** For models that an evaluator of an organization names itself, and for other providers. */
  readonly access: Readonly<Partial<Record<Provider, ModelAccess>>>
}

/** Where a model is called, and whose money that is. */
export interface PaidAccess extends ModelAccess {
  /** The organization whose own key it is; undefined: the operator's. */
  readonly ownerOrgId?: string
}

/** A provider that an organization can use, and where it would be called: the judge may have an address of its own. */
export interface UsableProvider {
  readonly provider: Provider
  readonly configuredBy: 'operator' | 'organization'
  readonly places: readonly Pick<PaidAccess, 'baseUrl' | 'ownerOrgId'>[]
}

/** The dependencies of the search for keys. */
export interface ProviderAccessDeps {
  readonly storage: Pick<JudgeStorage, 'listProviderKeys'>
  readonly operator: OperatorAccess
  /** Opens a stored key; throws when it cannot be opened. */
  readonly openKey: (tenant: OrgTenant, key: StoredProviderKey) => string
  /**
   * Base URLs that organizations may name beside their keys. There are no others, because the service would call any
   * address for them, also those that only it can reach.
   */
  readonly tenantBaseUrls: readonly string[]
  readonly nowMs: () => number
}

/** Finds whose key is used: an organization's own wins over the operator's, and no other organization ever uses it. */
export class ProviderAccess {
  readonly #deps: ProviderAccessDeps
  readonly #keys: KeptFor<StoredProviderKey[]>

  constructor(deps: ProviderAccessDeps) {
    this.#deps = deps
    this.#keys = new KeptFor(KEYS_KEPT_MS, ORGANIZATIONS_KEPT_MAX, deps.nowMs)
  }

  /** The operator's judge where the organization can use it, else the usual model of a provider it has a key for. */
  async defaultModel(tenant: OrgTenant): Promise<ModelRef | undefined> {
    const keys = await this.#keysOf(tenant)
    const hasKey = (provider: string) => keys.some((key) => key.provider === provider)
    const { defaultModel, judge } = this.#deps.operator
    if (defaultModel && (judge || hasKey(defaultModel.provider))) return defaultModel
    for (const provider of PROVIDERS) {
      const model = USUAL_MODELS[provider]
      if (model !== undefined && hasKey(provider)) return { provider, model }
    }
    return undefined
  }

  /** The providers that an organization can use, without opening a key. */
  async listFor(tenant: OrgTenant): Promise<UsableProvider[]> {
    const keys = await this.#keysOf(tenant)
    return PROVIDERS.flatMap((provider): UsableProvider[] => {
      const own = keys.find((key) => key.provider === provider)
      if (own) {
        const place = {
          ...defined({ baseUrl: own.baseUrl }),
          ownerOrgId: tenant.orgId,
        }
        return [{ provider, configuredBy: 'organization', places: [place] }]
      }
      const places = this.#operatorPlaces(provider)
      return places.length === 0 ? [] : [{ provider, configuredBy: 'operator', places }]
    })
  }

  /** `isNamed`: the evaluator names the model itself. Throws `not_configured` when there is no key to use. */
  async find(tenant: OrgTenant, { provider }: ModelRef, isNamed: boolean): Promise<PaidAccess> {
    const own = (await this.#keysOf(tenant)).find((key) => key.provider === provider)
    if (own) return this.#openOwn(tenant, own)
    const { operator } = this.#deps
    const isJudge = !isNamed && operator.judge && operator.defaultModel?.provider === provider
    const access = isJudge ? operator.judge : isProvider(provider) ? operator.access[provider] : undefined
    if (access) return access
    throw new NoVerdict(
      'not_configured',
      `no judge of the provider ${provider} is configured: ${howTo(provider)}`,
    )
  }

  // A key that cannot be used never gives way to the operator's: an organization with a key of its own does not mean to spend another's.
  #openOwn(tenant: OrgTenant, key: StoredProviderKey): PaidAccess {
    const { openKey, tenantBaseUrls } = this.#deps
    const refuse = (why: string) => {
      throw new NoVerdict(
        'not_configured',
        `the organization's key for ${key.provider} cannot be used: ${why}`,
      )
    }
    if (key.baseUrl !== undefined && !tenantBaseUrls.includes(key.baseUrl))
      return refuse('its base_url is not one that the operator of this service allows')
    let apiKey: string
    try {
      apiKey = openKey(tenant, key)
    } catch {
      return refuse('it was stored under another ASSAY_SECRETS_KEY; store it again')
    }
    return {
      apiKey,
      ...defined({ baseUrl: key.baseUrl }),
      ownerOrgId: tenant.orgId,
    }
  }

  #operatorPlaces(provider: Provider): { readonly baseUrl?: string }[] {
    const { access, judge, defaultModel } = this.#deps.operator
    const places = [access[provider], defaultModel?.provider === provider ? judge : undefined]
    const baseUrls = new Set(places.flatMap((place) => (place ? [place.baseUrl] : [])))
    return [...baseUrls].map((baseUrl) => (baseUrl === undefined ? {} : { baseUrl }))
  }

  #keysOf(tenant: OrgTenant): Promise<StoredProviderKey[]> {
    return this.#keys.get(tenant.orgId, () => this.#deps.storage.listProviderKeys(tenant))
  }
}

const VARIABLES: Readonly<Record<Provider, string>> = {
  openai: 'OPENAI_API_KEY, or OPENAI_BASE_URL for a server that speaks its protocol',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GEMINI_API_KEY',
  azure: 'AZURE_API_KEY and AZURE_RESOURCE_NAME',
  bedrock: 'AWS_BEARER_TOKEN_BEDROCK and AWS_REGION',
}

function howTo(provider: string): string {
  if (!isProvider(provider)) return `there are ${PROVIDERS.join(', ')}`
  return `set ${VARIABLES[provider]}, or store a key of the organization with PUT /v2/provider-keys/${provider}`
}
