import type { ModelUsage } from '../../domain/judgement.ts'
import type { ModelAccess, ModelMessage, ModelReply, ModelRequest } from '../../ports/model-client.ts'

/**
 * The ways in which a server can be held to a form, best first. `json_schema`: the server keeps the model to the schema.
 * `json_object`: it keeps it to JSON, and the schema is told in the prompt. `tools`: the model has to call a tool of ours.
 */
export type Channel = 'json_schema' | 'json_object' | 'tools'

/** The tool whose arguments are the answer, and the name of the schema. */
export const ANSWER_TOOL = 'give_verdict'

/** The description of the tool. */
export const ANSWER_TOOL_ABOUT = 'Gives the verdict. Call it exactly once.'

/** One request, as a protocol needs it to write the body. */
export interface ProtocolCall extends Pick<ModelRequest, 'messages' | 'sampling'> {
  readonly url: URL
  readonly model: string
  readonly wantsLogprobs: boolean
  /** The form of the answer and the channel that it comes through; absent: free text. */
  readonly form?: { readonly channel: Channel; readonly schema: Readonly<Record<string, unknown>> }
  /** Parameters that this server and model turned away before. */
  readonly lacks: ReadonlySet<string>
}

/** One provider's protocol: where to ask, how, and what an answer means. It sends nothing itself. */
export interface ModelProtocol {
  /** Structured channels that the protocol has, in the order in which they are tried. */
  readonly channels: readonly Channel[]
  /** The words with which a server says that it lacks a channel. */
  readonly complaint: Readonly<Partial<Record<Channel, RegExp>>>
  /** Parameters that a call can do without when a server turns them away. */
  readonly spareParameters: readonly string[]
  readonly givesLogprobs: boolean
  /** Throws `ModelFailure` when there is no address. */
  address(access: ModelAccess, model: string): URL
  headers(access: ModelAccess): Readonly<Record<string, string>>
  body(call: ProtocolCall): Record<string, unknown>
  /** The content of a successful answer; undefined when it is not an answer of this protocol. */
  read(answer: unknown, channel: Channel | undefined): ModelReply | undefined
}

/** A value somewhere in a JSON document; undefined when the way does not lead there. */
export function dig(value: unknown, ...path: (string | number)[]): unknown {
  let here = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined
    here = (here as Record<string | number, unknown>)[step]
  }
  return here
}

/** A list, or an empty one where there is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The tokens of a call. A value that is not a count is ignored. */
export function usageOf(prompt: unknown, completion: unknown): ModelUsage {
  return {
    ...(isCount(prompt) ? { promptTokens: prompt } : {}),
    ...(isCount(completion) ? { completionTokens: completion } : {}),
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/**
 * The joined texts of the tool calls. One call of our tool is the answer, whatever is said beside it. Two calls are
 * two documents, which cannot be taken for one; a call of another tool is no answer.
 */
export function textOfCalls(calls: readonly { readonly name: unknown; readonly text: string }[]): string {
  return calls
    .filter(({ name }) => name === ANSWER_TOOL)
    .map(({ text }) => text)
    .join('\n')
}

/** Turns as protocols want them that keep instructions apart; a prompt of instructions only is what the user says. */
export function splitSystem(messages: readonly ModelMessage[]): {
  readonly system?: string
  readonly turns: readonly ModelMessage[]
} {
  const turns = messages.filter(({ role }) => role !== 'system')
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  if (system.length === 0) return { turns }
  const text = system.join('\n\n')
  return turns.length === 0 ? { turns: [{ role: 'user', content: text }] } : { system: text, turns }
}

/**
 * The messages with the schema told in words. It joins the first instructions, because many servers know only one system
 * turn, and it stays away from the judged text.
 */
export function tellSchema(
  messages: readonly ModelMessage[],
  schema: Readonly<Record<string, unknown>>,
): ModelMessage[] {
  const words = `Answer with one JSON document that follows this JSON schema, and with nothing else:\n${JSON.stringify(schema)}`
  const at = messages.findIndex(({ role }) => role === 'system')
  if (at < 0) return [{ role: 'system', content: words }, ...messages]
  return messages.map((message, place) =>
    place === at ? { role: 'system', content: `${message.content}\n\n${words}` } : message,
  )
}

/** The parameters that are given and that the server does not lack. */
export function parameters(
  given: Readonly<Record<string, unknown>>,
  lacks: ReadonlySet<string>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && !lacks.has(name)),
  )
}

/** A base URL with a path behind it; what stands behind a question mark stays there. */
export function under(base: string, path: string): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`
  return url
}

/** A base URL that ends with the version of the interface, which some people write and some do not. */
export function withVersion(base: string, version: string): string {
  const url = new URL(base)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = /\/v\d\w*$/.test(path) ? path : `${path}/${version}`
  return url.href
}
