import type { Channel } from './fake-reply.ts'

/** A request as every protocol can be reduced to it. */
export interface FakeRequest {
  readonly protocol: 'openai' | 'anthropic' | 'google' | 'bedrock'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as it was sent. */
  readonly body: Readonly<Record<string, unknown>>
  readonly model: string
  /** System texts come first, whatever the protocol calls them. */
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  /** The structured channel that was asked for; absent: free text. */
  readonly channel?: Channel
  readonly schema?: Readonly<Record<string, unknown>>
  /** The tool that has to be called, in the channel `tools`. */
  readonly toolName?: string
  readonly wantsLogprobs: boolean
}

/** The answer of the model, before a protocol gives it a form. */
export interface FakeOutcome {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
  readonly refusal?: string
  readonly finish: 'stop' | 'length' | 'filtered' | 'refused'
  readonly usage?: { readonly prompt: number; readonly completion: number }
  readonly logprobs?: readonly number[]
}

/** One provider's protocol: which paths are its own, what a request says, and how an answer and an error look. */
export interface FakeProtocol {
  readonly name: FakeRequest['protocol']
  /** The model in the path, or an empty text when the body names it; undefined: the path is not of this protocol. */
  match(path: string): string | undefined
  read(
    body: Readonly<Record<string, unknown>>,
  ): Pick<FakeRequest, 'messages' | 'channel' | 'schema' | 'toolName' | 'wantsLogprobs'>
  answer(outcome: FakeOutcome, model: string): unknown
  error(status: number, message: string, parameter?: string): unknown
  /** The provider's error for a channel that a model lacks. */
  complaint(channel: Channel): { readonly message: string; readonly parameter: string }
}

/** A value somewhere in a JSON body; undefined when the way does not lead there. */
export function dig(value: unknown, ...path: (string | number)[]): unknown {
  let here = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined
    here = (here as Record<string | number, unknown>)[step]
  }
  return here
}

/** The text of a content that is a text or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => String(dig(part, 'text') ?? '')).join('')
}

/** A list, or nothing where there is none. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The schema of a body, where there is one. */
export function schemaOf(value: unknown): { schema?: Record<string, unknown> } {
  return typeof value === 'object' && value !== null ? { schema: value as Record<string, unknown> } : {}
}
