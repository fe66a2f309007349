/** The facts about the judge of an evaluation. */

/** The name of the judge that needs no provider. */
export const EMBEDDED_JUDGE = 'embedded'

/** The use of one judge for one evaluation; stored beside the score. */
export interface Judgement {
  /** `provider/model`, or `embedded`; absent when everything was decided in code and no judge was asked. */
  readonly judge?: string
  /** Calls of a provider that were answered. */
  readonly calls: number
  /** Answers that came from the cache instead. */
  readonly cachedCalls: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** In millionths of a US dollar; absent when the price of the model is not known, which is not the same as 0. */
  readonly costMicros?: number
  /** The evidence for the verdict, by its kind: statements with their quotes, for example. */
  readonly evidence?: Readonly<Record<string, unknown>>
  /** How many pieces of personal data and secrets were replaced before anything was sent, by kind. */
  readonly replaced?: Readonly<Record<string, number>>
}

/** The judgement of an evaluation that asked no judge. */
export const NOBODY_ASKED: Judgement = { calls: 0, cachedCalls: 0, promptTokens: 0, completionTokens: 0 }

/** The quality of the embedded judge of one evaluator on held-out rows. */
export interface EmbeddedQuality {
  /** Balanced accuracy, from 0 to 1; 0.5 is guessing. */
  readonly balancedAccuracy: number
  /** The labelled rows it was measured on. */
  readonly measuredOn: string
}

/** A monitor scores with the embedded judge only where it was measured to be at least this good. */
export const EMBEDDED_QUALITY_MIN = 0.75

/** A model at a provider. */
export interface ModelRef {
  readonly provider: string
  readonly model: string
}

/** The name of a model as people write it and results show it. */
export function modelName({ provider, model }: ModelRef): string {
  return `${provider}/${model}`
}

/** The providers that can be named. Every server that speaks OpenAI's protocol is `openai` with a base URL. */
export const PROVIDERS = ['openai', 'anthropic', 'google', 'azure', 'bedrock'] as const
export type Provider = (typeof PROVIDERS)[number]

/** Whether a provider of that name can be called. */
export function isProvider(name: string): name is Provider {
  return (PROVIDERS as readonly string[]).includes(name)
}

/**
 * Reads `provider/model`. A name without a known provider in front is a model of OpenAI or of a server that speaks
 * its protocol: `gpt-4o`, but also `meta-llama/Llama-3.1-8B-Instruct`.
 */
export function parseModelName(text: string): ModelRef {
  const slash = text.indexOf('/')
  const provider = text.slice(0, Math.max(0, slash))
  return isProvider(provider)
    ? { provider, model: text.slice(slash + 1) }
    : { provider: 'openai', model: text }
}

/** Tokens of one call; a provider that does not say counts as undefined and not as 0. */
export interface ModelUsage {
  readonly promptTokens?: number
  readonly completionTokens?: number
}
