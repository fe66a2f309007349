import type { ModelRef, Provider } from '../domain/judgement.ts'
import { defined } from '../lib/defined.ts'
import type { JudgeConfig } from './judge-settings.ts'

/** Where and as whom a provider is called. */
export interface ProviderAccess {
  readonly apiKey?: string
  readonly baseUrl?: string
}

/** Which model judges, and how every provider that is configured is called. */
export interface JudgeAccess {
  /** Undefined: nothing says who judges. It may be set without access, for organizations that bring their own keys. */
  readonly defaultModel?: ModelRef
  /** A setting is about the judge itself, so that no organization can choose another by default. */
  readonly isJudgeSet?: boolean
  /** How the judge itself is called; undefined: nothing is configured for its provider. */
  readonly judge?: ProviderAccess
  /** How evaluators call that name a provider of their own. */
  readonly access: Readonly<Partial<Record<Provider, ProviderAccess>>>
}

const DEFAULT_MODEL: ModelRef = { provider: 'openai', model: 'gpt-4o' }

/**
 * Works out from the settings who is called how. `ASSAY_JUDGE_BASE_URL` and `ASSAY_JUDGE_API_KEY` belong to the provider of the
 * judge: for the judge they win over the provider's usual variables, for evaluators with a provider of their own they stand in
 * where the usual ones are unset.
 */
export function judgeAccess(config: JudgeConfig): JudgeAccess {
  const usual = usualAccess(config)
  const own: ProviderAccess = compact(config.judgeApiKey, config.judgeBaseUrl)
  const isOpenAiConfigured = isConfigured('openai', own) || isConfigured('openai', usual.openai)
  const defaultModel = config.judgeModel ?? (isOpenAiConfigured ? DEFAULT_MODEL : undefined)
  const provider = defaultModel?.provider as Provider | undefined

  const access: Partial<Record<Provider, ProviderAccess>> = {}
  for (const [name, given] of Object.entries(usual) as [Provider, ProviderAccess][]) {
    const joined = name === provider ? { ...own, ...given } : given
    if (isConfigured(name, joined)) access[name] = joined
  }
  if (defaultModel === undefined || provider === undefined) return { access }
  const judge = { ...usual[provider], ...own }
  // An address that was given for the judge is meant, also where its server asks for no key.
  const isJudgeConfigured = isConfigured(provider, judge) || own.baseUrl !== undefined
  const isJudgeSet = config.judgeModel !== undefined || Object.keys(own).length > 0
  return { defaultModel, isJudgeSet, access, ...(isJudgeConfigured ? { judge } : {}) }
}

function isConfigured(provider: Provider, { apiKey, baseUrl }: ProviderAccess): boolean {
  return apiKey !== undefined || (provider === 'openai' && baseUrl !== undefined)
}

function usualAccess(config: JudgeConfig): Readonly<Record<Provider, ProviderAccess>> {
  const { azureResourceName: resource, awsRegion: region } = config
  return {
    openai: compact(config.openaiApiKey, config.openaiBaseUrl),
    anthropic: compact(config.anthropicApiKey, config.anthropicBaseUrl),
    google: compact(config.googleApiKey ?? config.geminiApiKey, undefined),
    azure: compact(
      config.azureApiKey,
      config.azureBaseUrl ??
        (resource === undefined ? undefined : `https://${resource}.openai.azure.com/openai/v1`),
    ),
    bedrock: compact(
      config.bedrockApiKey,
      region === undefined ? undefined : `https://bedrock-runtime.${region}.amazonaws.com`,
    ),
  }
}

function compact(apiKey: string | undefined, baseUrl: string | undefined): ProviderAccess {
  return { ...defined({ apiKey, baseUrl }) }
}
