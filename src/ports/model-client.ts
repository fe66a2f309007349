import type { ObjectShape } from '../domain/answer-shape.ts'
import type { ModelRef, ModelUsage } from '../domain/judgement.ts'
import type { Sampling } from './judge.ts'

/** A turn as it is sent: fences and privacy are done. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Where and as whom a provider is called. */
export interface ModelAccess {
  readonly apiKey?: string
  readonly baseUrl?: string
}

/** One call of a model. */
export interface ModelRequest {
  readonly model: ModelRef
  readonly access: ModelAccess
  readonly messages: readonly ModelMessage[]
  /** The answer comes through the provider's structured channel in this form; without it, as free text. */
  readonly answer?: ObjectShape
  readonly sampling: Sampling
  readonly wantsLogprobs?: boolean
}

/**
 * The reply of a model. `text` is what the structured channel carried, or the free text: never something picked out of
 * prose. `truncated`: the model ran out of tokens. `refused`: it declined, or its provider did for it.
 */
export type ModelReply = { readonly usage: ModelUsage } & (
  | { readonly kind: 'answered'; readonly text: string; readonly logprobs?: readonly number[] }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'refused'; readonly why: string }
)

/**
 * Calls models. One `call` is one attempt: no retries of its own, no waiting for a rate; it ends when the signal aborts. A
 * call without a reply throws a `ModelFailure` (domain/model-failure.ts). It may take more than one HTTP request where it has to find out which structured channel a server has, and remembers.
 */
export interface ModelClient {
  call(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>
}
