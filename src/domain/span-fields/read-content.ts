import type { ToolCall, ToolResult } from './canonical-values.ts'
import { firstText, isObject, type JsonObject, parseStructure, textOf } from './json-value.ts'
import { readToolCall, readToolResult } from './read-tools.ts'

/** The parts of a message's content. */
export interface Content {
  /** The texts of its parts, one line after the other; '' where it has none. */
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly toolResults: readonly ToolResult[]
}

const TEXT_TYPES = ['text', 'input_text', 'output_text', 'summary_text']
const CALL_TYPES = ['tool_call', 'tool-call', 'tool_use', 'function_call', 'server_tool_use']
const RESULT_TYPES = ['tool_call_response', 'tool_result', 'tool-result', 'function_call_output']
// Content of these is thought or media: no part of what was said.
const SILENT_TYPES = [
  ...['reasoning', 'thinking', 'redacted_thinking', 'reasoning_content'],
  ...['image', 'image_url', 'input_image', 'audio', 'input_audio', 'output_audio', 'video', 'media'],
  ...['blob', 'uri', 'file', 'input_file', 'document', 'refusal'],
]
const PART_TYPES = new Set([...TEXT_TYPES, ...CALL_TYPES, ...RESULT_TYPES, ...SILENT_TYPES])

/**
 * Reads content in any of its shapes: a text, a part, or a list of texts and parts as OpenTelemetry, OpenAI, Anthropic,
 * Bedrock, Gemini, OpenInference and the Vercel AI SDK write them. Thoughts of a model and media are left out.
 */
export function readContent(content: unknown): Content {
  const texts: string[] = []
  const toolCalls: ToolCall[] = []
  const toolResults: ToolResult[] = []
  for (const item of Array.isArray(content) ? content : [content]) {
    const part = unwrapPart(item)
    const text = isObject(part) ? partText(part) : textOf(part)
    if (text !== undefined) texts.push(text)
    if (!isObject(part)) continue
    const call = callIn(part)
    if (call) toolCalls.push(call)
    const result = resultIn(part)
    if (result) toolResults.push(result)
  }
  return { text: texts.join('\n'), toolCalls, toolResults }
}

/** The parts that a text holds where a sender wrote a list of parts into one text; undefined for any other text. */
export function partsOfText(text: string): readonly unknown[] | undefined {
  const parsed = parseStructure(text)
  return Array.isArray(parsed) && parsed.length > 0 && parsed.every(isPart) ? parsed : undefined
}

/** Whether a value is a part of content rather than a message. */
export function isPart(value: unknown): value is JsonObject {
  const part = unwrapPart(value)
  if (!isObject(part)) return false
  if (typeof part['type'] === 'string') return PART_TYPES.has(part['type'])
  return ['toolUse', 'toolResult', 'functionCall', 'functionResponse'].some((key) => isObject(part[key]))
    ? true
    : Object.keys(part).length === 1 && typeof part['text'] === 'string'
}

function unwrapPart(item: unknown): unknown {
  if (!isObject(item)) return item
  if (isObject(item['message_content'])) return item['message_content']
  if (!Object.hasOwn(item, 'message_content.type')) return item
  const entries = Object.entries(item).map(([key, value]) => [key.replace(/^message_content\./, ''), value])
  return Object.fromEntries(entries)
}

function partText(part: JsonObject): string | undefined {
  const type = part['type']
  if (type === 'refusal') return firstText(part, ['refusal', 'content', 'text'])
  if (typeof type === 'string' && (SILENT_TYPES.includes(type) || CALL_TYPES.includes(type))) return undefined
  if (typeof type === 'string' && RESULT_TYPES.includes(type)) return undefined
  // `content` of an unknown type may be anything, for example bytes in base64.
  const names = type === undefined || TEXT_TYPES.includes(type as string) ? ['text', 'content'] : ['text']
  const name = names.find((key) => typeof part[key] === 'string')
  return name === undefined ? undefined : textOf(part[name])
}

function callIn(part: JsonObject): ToolCall | undefined {
  if (CALL_TYPES.includes(part['type'] as string)) return readToolCall(part)
  const wrapped = part['toolUse'] ?? part['functionCall'] ?? part['function_call']
  return isObject(wrapped) ? readToolCall(wrapped) : undefined
}

function resultIn(part: JsonObject): ToolResult | undefined {
  if (RESULT_TYPES.includes(part['type'] as string)) return readToolResult(part)
  const wrapped = part['toolResult'] ?? part['functionResponse'] ?? part['function_response']
  return isObject(wrapped) ? readToolResult(wrapped) : undefined
}
