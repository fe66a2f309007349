import { isProvider, type ModelRef, PROVIDERS, type Provider } from '../../domain/judgement.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { mayNameAddress } from '../../domain/provider-address.ts'
import type { OrgTenant } from '../../domain/tenant.ts'
import { defined } from '../../lib/defined.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { DefaultJudge } from '../../ports/judge.ts'
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
  /** A setting is about the judge itself, so that no organization can choose another by default. */
  readonly isJudgeSet?: boolean
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

/** The configuration that an organization stored. */
interface StoredChoices {
  readonly keys: readonly StoredProviderKey[]
  readonly chosen?: ModelRef
}

/** The dependencies of the search for keys. */
export interface ProviderAccessDeps {
  readonly storage: Pick<JudgeStorage, 'listProviderKeys' | 'getDefaultJudge'>
  readonly operator: OperatorAccess
  /** Opens a stored key; throws a public error that says what to do when it cannot be opened. */
  readonly openKey: (tenant: OrgTenant, key: StoredProviderKey) => string
  /** Base URLs that organizations may name beside their keys, besides hosts of the providers themselves. */
  readonly tenantBaseUrls: readonly string[]
  readonly nowMs: () => number
}

/** Finds whose key is used: an organization's own wins over the operator's, and no other organization ever uses it. */
export class ProviderAccess {
  readonly #deps: ProviderAccessDeps
  readonly #known: KeptFor<StoredChoices>

  constructor(deps: ProviderAccessDeps) {
    this.#deps = deps
    this.#known = new KeptFor(KEYS_KEPT_MS, ORGANIZATIONS_KEPT_MAX, deps.nowMs)
  }

  /**
   * The judge that the settings name, where the organization can use it; else the one that the organization chose; else the
   * operator's without a name; else the usual model of a provider that the organization has a key for.
   */
  async defaultJudge(tenant: OrgTenant): Promise<DefaultJudge | undefined> {
    const { keys, chosen } = await this.#choicesOf(tenant)
    const hasKey = (provider: string) => keys.some((key) => key.provider === provider)
    const { defaultModel, judge, isJudgeSet, access } = this.#deps.operator
    const ofOperator =
      defaultModel && (judge || hasKey(defaultModel.provider))
        ? { model: defaultModel, source: 'environment' as const }
        : undefined
    if (ofOperator && isJudgeSet) return ofOperator
    const isReached = ({ provider }: ModelRef) =>
      hasKey(provider) ||
      (isProvider(provider) && access[provider] !== undefined) ||
      (judge !== undefined && defaultModel?.provider === provider)
    if (chosen && isReached(chosen)) return { model: chosen, source: 'organization' }
    if (ofOperator) return ofOperator
    for (const provider of PROVIDERS) {
      const model = USUAL_MODELS[provider]
      if (model !== undefined && hasKey(provider))
        return { model: { provider, model }, source: 'provider_key' }
    }
    return undefined
  }

  /** Has the keys and the choice of an organization read again, because they were changed here. */
  forget(tenant: OrgTenant): void {
    this.#known.forget(tenant.orgId)
  }

  /** The providers that an organization can use, without opening a key. */
  async listFor(tenant: OrgTenant): Promise<UsableProvider[]> {
    const { keys } = await this.#choicesOf(tenant)
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
    const own = (await this.#choicesOf(tenant)).keys.find((key) => key.provider === provider)
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
    if (key.baseUrl !== undefined && !mayNameAddress(key.provider, key.baseUrl, tenantBaseUrls))
      return refuse('its base_url is not one that the operator of this service allows')
    let apiKey: string
    try {
      apiKey = openKey(tenant, key)
    } catch (error) {
      return refuse(error instanceof PublicError ? error.message : 'it cannot be opened; store it again')
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

  #choicesOf(tenant: OrgTenant): Promise<StoredChoices> {
    return this.#known.get(tenant.orgId, async () => {
      const { storage } = this.#deps
      const [keys, chosen] = await Promise.all([
        storage.listProviderKeys(tenant),
        storage.getDefaultJudge(tenant),
      ])
      return { keys, ...defined({ chosen }) }
    })
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
  return `set ${VARIABLES[provider]}, or store a key of the organization under Settings, Judges, or with PUT /v2/provider-keys/${provider}`
}
