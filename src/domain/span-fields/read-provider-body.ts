import type { Message } from './canonical-values.ts'
import { firstOf, isObject, type JsonObject, listOf, structureOf } from './json-value.ts'
import { readContent } from './read-content.ts'
import { looksLikeMessage, readMessage, readMessages } from './read-message.ts'

/**
 * The messages in the body of a request to a provider (OpenAI chat and responses, Anthropic, Gemini, Bedrock), in the
 * state of an agent framework, or in a bare list; none where the value is something else.
 */
export function requestMessages(value: unknown): Message[] {
  const body = structureOf(value)
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
 * the conversation, only what follows the last message of the user. None where the value is something else.
 */
export function responseMessages(value: unknown): Message[] {
  const body = structureOf(value)
  if (isMessageList(body)) return sinceLastUser(readMessages(body, 'assistant'))
  if (!isObject(body)) return []
  if (looksLikeMessage(body)) return readMessage(body, 'assistant')
  const choices = firstOf(body, ['choices', 'candidates', 'generations'])
  if (Array.isArray(choices)) return choices.flat().flatMap(choiceMessages)
  if (isMessageList(structureOf(body['messages']))) return responseMessages(body['messages'])
  // Responses API: {output: [items]}; Bedrock: {output: {message}}.
  const output = structureOf(body['output'])
  if (isMessageList(output)) return sinceLastUser(readMessages(output, 'assistant'))
  return isObject(output) && looksLikeMessage(output) ? readMessage(output, 'assistant') : []
}

function choiceMessages(choice: unknown): Message[] {
  if (!isObject(choice)) return []
  // Gemini has the message under `content`; a completion without chat has only `text`.
  const message = firstOf(choice, ['message', 'content']) ?? choice
  return readMessage(message, 'assistant')
}

function isMessageList(value: unknown): boolean {
  const list = Array.isArray(value) ? value.flat() : []
  // Items of the Responses API that are no messages stand beside messages.
  return list.some((item) => looksLikeMessage(item))
}

function systemMessage(body: JsonObject): Message[] {
  const given = firstOf(body, ['system', 'instructions', 'systemInstruction', 'system_instruction'])
  const { text } = readContent(isObject(given) && given['parts'] ? listOf(given['parts']) : given)
  return text === '' ? [] : [{ role: 'system', content: text }]
}

function sinceLastUser(messages: Message[]): Message[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
}
