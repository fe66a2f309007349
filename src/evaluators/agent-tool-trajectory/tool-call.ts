import { invalidInput } from '../../lib/public-error.ts'
import { parsePythonStructure } from '../../lib/python-literal.ts'

/** Most calls in one list; the optimal assignment costs time to the third power of this. */
export const CALLS_MAX = 1000

/** A tool call, whatever client wrote it down. No arguments and null arguments are the same. */
export interface ToolCall {
  readonly name: string
  readonly args: unknown
}

type JsonObject = Readonly<Record<string, unknown>>

/** Wrappers around the object that has name and arguments: OpenAI, Gemini (two spellings) and Bedrock. */
const WRAPPER_KEYS = ['function', 'functionCall', 'function_call', 'toolUse'] as const
const NAME_KEYS = ['name', 'toolName', 'tool_name'] as const
const ARGUMENT_KEYS = ['input', 'arguments', 'args', 'parameters'] as const

/** Reads a list of calls; `field` names the list in the messages of bad input, e.g. `executed_tool_calls`. */
export function parseToolCalls(list: readonly unknown[], field: string): ToolCall[] {
  if (list.length > CALLS_MAX) throw invalidInput(`input.${field} must have at most ${CALLS_MAX} calls`)
  return list.map((entry, index) => {
    const call = parseToolCall(entry)
    if (call) return call
    throw invalidInput(
      `input.${field}[${index}] must be a tool call, for example {"name": "...", "input": {...}}`,
    )
  })
}

/** A call with its arguments as they were sent, as an object or still as text; undefined when it is not a call. */
export function readRawCall(entry: unknown): ToolCall | undefined {
  if (typeof entry === 'string') return entry.trim() === '' ? undefined : { name: entry.trim(), args: null }
  if (!isObject(entry)) return undefined
  const body = bodyOf(entry)
  const name = firstOwn(body, NAME_KEYS)
  return typeof name === 'string' && name !== '' ? { name, args: firstOwn(body, ARGUMENT_KEYS) } : undefined
}

function parseToolCall(entry: unknown): ToolCall | undefined {
  const call = readRawCall(entry)
  return call && { name: call.name, args: decodeArguments(call.args) }
}

function bodyOf(entry: JsonObject): JsonObject {
  const inner = firstOwn(entry, WRAPPER_KEYS)
  return isObject(inner) ? inner : entry
}

/**
 * Arguments often travel as JSON text, or as Python writes a dict. Any other text is compared as it is: models do write
 * broken JSON, and a tool may take a plain text; neither is a fault of the caller.
 */
function decodeArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  const text = value.trim()
  if (text === '' || text === 'null') return null
  if (!text.startsWith('{') && !text.startsWith('[')) return value
  try {
    return JSON.parse(text)
  } catch {
    return parsePythonStructure(text) ?? value
  }
}

function firstOwn(object: JsonObject, keys: readonly string[]): unknown {
  for (const key of keys) if (Object.hasOwn(object, key)) return object[key]
  return undefined
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
