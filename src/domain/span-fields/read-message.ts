import type { Message } from './canonical-values.ts'
import { firstOf, firstText, isObject, type JsonObject, listOf, structureOf, textOf } from './json-value.ts'
import { isPart, readContent } from './read-content.ts'
import { readToolCall, readToolCalls, resultText } from './read-tools.ts'

// The names of the roles in other dialects. LangChain's class names lose their ending first.
const ROLES: Readonly<Record<string, string>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  bot: 'assistant',
  chatbot: 'assistant',
  tool: 'tool',
  function: 'tool',
  'tool-response': 'tool',
  tool_response: 'tool',
  tool_result: 'tool',
}

const CONTENT_NAMES = ['parts', 'content', 'contents', 'text']
const BODY_NAMES = [
  ...CONTENT_NAMES,
  'tool_calls',
  'toolCalls',
  'function_call',
  'function_call_name',
  'refusal',
]

/**
 * Reads the messages of a list, of its JSON text or of a single message; a plain text is one message of the given role.
 * A value that cannot be read as a message is left out.
 */
export function readMessages(value: unknown, role: string): Message[] {
  const structure = structureOf(value)
  if (!Array.isArray(structure) || isPair(structure)) return readMessage(structure, role)
  // LangChain sends a list for each prompt of a batch.
  return structure.flatMap((item) =>
    Array.isArray(item) && !isPair(item)
      ? item.flatMap((inner) => readMessage(inner, role))
      : readMessage(item, role),
  )
}

/**
 * Reads one message of any dialect. It becomes several where it holds results of tools, which are messages of their own
 * with role `tool`, ahead of the text beside them.
 */
export function readMessage(value: unknown, role: string): Message[] {
  const text = textOf(value)
  if (text !== undefined) return [{ role: roleOf(role), content: text }]
  if (isPair(value)) return [{ role: roleOf(value[0]), content: value[1] }]
  if (!isObject(value)) return []
  const inner = unwrap(value)
  const givenRole = roleIn(inner) ?? roleIn(value)
  if (givenRole === undefined && isPart(inner)) return messagesOf(inner, { parts: [inner] }, role)
  // A model that declines leaves the content empty and says so beside it.
  const parts = firstOf(inner, CONTENT_NAMES) || (firstText(inner, ['refusal']) ?? inner['content'])
  const calls = callsIn(inner)
  if (givenRole === undefined && parts === undefined && calls.length === 0) return []
  return messagesOf(inner, { parts, calls }, givenRole ?? roleOf(role))
}

/** Whether a value is a message rather than something else that was sent or returned. */
export function looksLikeMessage(value: unknown): boolean {
  if (!isObject(value)) return isPair(value)
  const inner = unwrap(value)
  // A role alone does not make a message: people and permissions have one too.
  return roleIn(inner) !== undefined && BODY_NAMES.some((name) => Object.hasOwn(inner, name))
}

/** The role by the name that this service has for it; one that it has none for stays. */
export function roleOf(role: string): string {
  const name = role.toLowerCase().replace(/message(chunk)?$/, '')
  return Object.hasOwn(ROLES, name) ? (ROLES[name] as string) : role
}

interface Read {
  readonly parts: unknown
  readonly calls?: ReturnType<typeof readToolCalls>
}

function messagesOf(source: JsonObject, { parts, calls = [] }: Read, role: string): Message[] {
  const content = readContent(parts)
  // A sender that lists the calls beside the content often repeats them within it.
  const toolCalls = calls.length > 0 ? calls : content.toolCalls
  const results = content.toolResults.map(
    ({ name, id, result }): Message => ({
      role: 'tool',
      content: resultText(result),
      ...(name !== undefined && { name }),
      ...(id !== undefined && { tool_call_id: id }),
    }),
  )
  if (results.length > 0 && content.text === '' && toolCalls.length === 0) return results
  const isCall = toolCalls.length > 0 && role === 'user' && roleIn(source) === undefined
  const ownRole = isCall ? 'assistant' : role
  const name = firstText(source, ['name', 'message.name'])
  const id = firstText(source, ['tool_call_id', 'toolCallId', 'tool_use_id', 'message.tool_call_id'])
  const text = content.text === '' && isObject(parts) && !isPart(parts) ? resultText(parts) : content.text
  const message: Message = {
    role: ownRole,
    content: text,
    ...(ownRole === 'tool' && name !== undefined && { name }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...(ownRole === 'tool' && id !== undefined && { tool_call_id: id }),
  }
  return [...results, message]
}

function callsIn(message: JsonObject) {
  for (const value of [
    firstOf(message, ['tool_calls', 'toolCalls']),
    isObject(message['additional_kwargs']) ? message['additional_kwargs']['tool_calls'] : undefined,
  ]) {
    const calls = readToolCalls(value)
    if (calls.length > 0) return calls
  }
  // The call that came before lists of calls, as OpenAI had it and as OpenInference spells it.
  const legacy = message['function_call'] ?? {
    name: message['function_call_name'],
    arguments: message['function_call_arguments_json'],
  }
  const call = readToolCall(legacy)
  return call ? [call] : []
}

function roleIn(message: JsonObject): string | undefined {
  const role = textOf(message['role'])
  if (role !== undefined) return roleOf(role)
  // LangChain has `type: 'human'`. Types of parts, `text` or `tool_result`, are no roles.
  const type = message['type']
  if (typeof type !== 'string' || isPart(message)) return undefined
  const named = roleOf(type)
  return Object.hasOwn(ROLES, named) ? named : undefined
}

/** LangGraph takes a message also as a pair of role and text. */
function isPair(value: unknown): value is readonly [string, string] {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [role, text] = value
  return typeof role === 'string' && typeof text === 'string' && Object.hasOwn(ROLES, role)
}

// OpenInference: {message: {...}} or {'message.role': ...}; a choice: {message: {...}}; LangChain: {lc, id, kwargs} or
// {type, data}.
function unwrap(value: JsonObject): JsonObject {
  const inner = structureOf(value['message'])
  if (isObject(inner)) return inner
  if (isObject(value['kwargs']) && Array.isArray(value['id'])) {
    const type = textOf(listOf(value['id']).at(-1)) ?? ''
    return { type, ...value['kwargs'] }
  }
  if (typeof value['type'] === 'string' && isObject(value['data'])) {
    return { ...value['data'], type: value['type'] }
  }
  // Haystack, until version 2.9.
  if (typeof value['_role'] === 'string') return { role: value['_role'], content: value['_content'] }
  if (!Object.hasOwn(value, 'message.role') && !Object.hasOwn(value, 'message.content')) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key.replace(/^message\./, ''), entry]),
  )
}
