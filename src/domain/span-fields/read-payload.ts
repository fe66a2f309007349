import type { Message } from './canonical-values.ts'
import { firstOf, firstText, isObject, type JsonObject, jsonOf, textOf, textOrJson } from './json-value.ts'
import { readUncut } from './read-cut.ts'
import { requestMessages, responseMessages } from './read-provider-body.ts'
import { readArguments } from './read-tools.ts'

// The common names of the input and the output of a chain, a workflow or an agent. The first that has a text wins.
const QUESTION_NAMES = [
  ...[
    'question',
    'query',
    'query_str',
    'prompt',
    'user_input',
    'userInput',
    'user_message',
    'userMessage',
    'message',
  ],
  ...['input', 'task', 'instruction', 'instructions', 'request', 'text', 'content', 'topic', 'input_str'],
]
const ANSWER_NAMES = [
  ...['answer', 'final_answer', 'completion', 'response', 'reply', 'output', 'output_text', 'final_output'],
  ...['result', 'text', 'content', 'message', 'generation', 'summary'],
]
/** How far the text of a payload is looked for below objects and lists that hold only one thing. */
const UNWRAP_MAX = 4

/**
 * The conversation in what a function, chain or agent was called with: the messages where there are some, else one
 * message of the user with the text that asks, else with the whole as JSON text.
 */
export function inputPayload(value: unknown): Message[] {
  return readUncut(value, wholeInput)
}

function wholeInput(value: unknown): Message[] {
  const payload = calledWith(jsonOf(value))
  const messages = requestMessages(payload)
  if (messages.length > 0) return messages
  const text = payloadText(payload, QUESTION_NAMES)
  return text === undefined ? [] : [{ role: 'user', content: text }]
}

/** The answer in what a function, chain or agent returned, found like the question of inputPayload. */
export function outputPayload(value: unknown): Message[] {
  return readUncut(value, wholeOutput)
}

function wholeOutput(value: unknown): Message[] {
  const returned = jsonOf(value)
  const payload = isObject(returned) ? (firstOf(returned, ['outputs']) ?? returned) : returned
  const messages = responseMessages(payload)
  if (messages) return messages
  const text = payloadText(payload, ANSWER_NAMES)
  return text === undefined ? [] : [{ role: 'assistant', content: text }]
}

/** The arguments in what a tool was called with. */
export function toolArguments(value: unknown): object | string {
  const payload = calledWith(jsonOf(value))
  if (!isObject(payload)) return readArguments(payload)
  // MCP: {tool_name, arguments}.
  const inner = Object.hasOwn(payload, 'tool_name') ? firstOf(payload, ['arguments']) : undefined
  return readArguments(inner ?? payload)
}

// Decorated functions send {args, kwargs}, LangChain sends {inputs, tags, metadata, kwargs}.
function calledWith(value: unknown): unknown {
  if (!isObject(value)) return value
  const inputs = firstOf(value, ['inputs'])
  if (inputs !== undefined && !isEmpty(inputs)) return inputs
  if (!Array.isArray(value['args'])) return value
  const { args } = value
  const kwargs = isObject(value['kwargs']) ? value['kwargs'] : {}
  if (args.length === 0) return kwargs
  const isAsked = firstText(kwargs, QUESTION_NAMES) !== undefined || requestMessages(kwargs).length > 0
  if (isAsked) return kwargs
  return args.length === 1 ? args[0] : Object.keys(kwargs).length === 0 ? args : { args, kwargs }
}

function payloadText(value: unknown, names: readonly string[], unwrapsLeft = UNWRAP_MAX): string | undefined {
  if (isEmpty(value)) return undefined
  if (typeof value !== 'object') return textOf(value)
  if (unwrapsLeft > 0) {
    if (Array.isArray(value) && value.length === 1) return payloadText(value[0], names, unwrapsLeft - 1)
    if (isObject(value)) return objectText(value, names, unwrapsLeft - 1)
  }
  return textOrJson(value)
}

function objectText(value: JsonObject, names: readonly string[], unwrapsLeft: number): string | undefined {
  const named = firstText(value, names)
  if (named !== undefined) return named
  const nested = firstOf(value, names)
  if (isObject(nested)) return payloadText(nested, names, unwrapsLeft)
  const values = Object.values(value)
  return values.length === 1 ? payloadText(values[0], names, unwrapsLeft) : textOrJson(value)
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && !(value instanceof Uint8Array) && Object.keys(value).length === 0
}
