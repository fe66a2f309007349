import type { Message } from './canonical-values.ts'
import { firstOf, isObject, type JsonObject, listOf, structureOf } from './json-value.ts'
import { readContent } from './read-content.ts'
import { looksLikeMessage, readMessage, readMessages } from './read-message.ts'

const SYSTEM_NAMES = ['system', 'instructions', 'systemInstruction', 'system_instruction']

/**
 * The messages in the body of a request to a provider (OpenAI chat and responses, Anthropic, Gemini, Bedrock), in the
 * state of an agent framework, or in a bare list; none where the value is something else.
 */
export function requestMessages(value: unknown): Message[] {
  const body = bodyOf(value)
  if (isMessageList(body)) return readMessages(body, 'user')
  if (!isObject(body)) return []
  if (looksLikeMessage(body)) return readMessage(body, 'user')
  const list = ['messages', 'input', 'contents', 'prompt', 'chat_history'].find((name) =>
    isMessageList(structureOf(body[name])),
  )
  if (list === undefined) return []
  return [...systemMessage(body), ...readMessages(body[list], 'user')]
}

/**
 * The messages in the body of an answer of a provider, or in the state that an agent ends with; of a state that repeats
 * the conversation, only what follows the last message of the user, which may be nothing. Undefined where the value is
 * something else.
 */
export function responseMessages(value: unknown): Message[] | undefined {
  const body = bodyOf(value)
  if (isMessageList(body)) return sinceLastUser(readMessages(body, 'assistant'))
  if (!isObject(body)) return undefined
  if (looksLikeMessage(body)) return readMessage(body, 'assistant')
  const choices = firstOf(body, ['choices', 'candidates', 'generations'])
  if (Array.isArray(choices)) return choices.flat().flatMap(choiceMessages)
  if (Array.isArray(body['replies'])) return readMessages(body['replies'], 'assistant')
  if (isMessageList(structureOf(body['messages']))) return responseMessages(body['messages'])
  // An event of Gemini: {content: {role, parts}}.
  if (isObject(body['content']) && looksLikeMessage(body['content']))
    return readMessage(body['content'], 'assistant')
  // Responses API: {output: [items]}; Bedrock: {output: {message}}.
  const output = structureOf(body['output'])
  if (isMessageList(output)) return sinceLastUser(readMessages(output, 'assistant'))
  return isObject(output) && looksLikeMessage(output) ? readMessage(output, 'assistant') : undefined
}

// LangGraph: a command {graph, update, resume, goto} changes the state; LangChain: {lc, id, kwargs: {messages}}.
function bodyOf(value: unknown): unknown {
  const body = structureOf(value)
  if (!isObject(body)) return body
  if (Object.hasOwn(body, 'update') && ['graph', 'goto'].some((name) => Object.hasOwn(body, name))) {
    return body['update']
  }
  const { kwargs } = body
  return isObject(kwargs) && isMessageList(kwargs['messages']) ? kwargs : body
}

function choiceMessages(choice: unknown): Message[] {
  if (!isObject(choice)) return []
  // Gemini has the message under `content`; a completion without chat has only `text`.
  const message = firstOf(choice, ['message', 'content']) ?? choice
  return readMessage(message, 'assistant')
}

function isMessageList(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  // Items of the Responses API that are no messages stand beside messages.
  const holdsMessage = (list: readonly unknown[]) => looksLikeMessage(list) || list.some(looksLikeMessage)
  return holdsMessage(value) || value.some((item) => Array.isArray(item) && holdsMessage(item))
}

function systemMessage(body: JsonObject): Message[] {
  const { config } = body
  const given = firstOf(body, SYSTEM_NAMES) ?? (isObject(config) ? firstOf(config, SYSTEM_NAMES) : undefined)
  const { text } = readContent(isObject(given) && given['parts'] ? listOf(given['parts']) : given)
  return text === '' ? [] : [{ role: 'system', content: text }]
}

function sinceLastUser(messages: Message[]): Message[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
}
