import { parsePythonStructure } from '../../lib/python-literal.ts'
import type { ToolCall, ToolDefinition, ToolResult } from './canonical-values.ts'
import { firstOf, firstText, isObject, listOf, structureOf, textOf, textOrJson } from './json-value.ts'

const ID_NAMES = ['id', 'tool_call_id', 'toolCallId', 'call_id', 'tool_use_id', 'toolUseId']
const ARGUMENT_NAMES = ['arguments', 'input', 'args', 'parameters']
const RESULT_NAMES = ['response', 'result', 'output', 'content']

/** Reads one tool call in the shape of any provider or SDK; undefined where no tool is named. */
export function readToolCall(value: unknown): ToolCall | undefined {
  const outer = callStructureOf(value)
  if (!isObject(outer)) return undefined
  const call = isObject(outer['tool_call']) ? outer['tool_call'] : outer
  const inner = isObject(call['function']) ? call['function'] : call
  const name =
    firstText(inner, ['name', 'toolName', 'function.name']) ??
    firstText(call, ['tool_call.function.name', 'function.name'])
  if (name === undefined) return undefined
  const sent =
    firstOf(inner, ARGUMENT_NAMES) ?? firstOf(call, ['tool_call.function.arguments', 'function.arguments'])
  const id = firstText(call, [...ID_NAMES, 'tool_call.id'])
  return { name, arguments: readArguments(sent), ...(id !== undefined && { id }) }
}

/** Reads a list of tool calls, or its text; entries that are no calls are left out. */
export function readToolCalls(value: unknown): readonly ToolCall[] {
  return listOf(callStructureOf(value)).flatMap((item) => readToolCall(item) ?? [])
}

/** The arguments of a call: an object where they are one or its text; none and an empty text are `{}`. */
export function readArguments(value: unknown): object | string {
  const structure = callStructureOf(value)
  if (Array.isArray(structure)) return { args: structure }
  if (isObject(structure)) return structure
  return textOf(structure) ?? {}
}

/** The list or object that a call, or its text, holds. Instrumentations in Python write some calls with `str`, not as JSON. */
function callStructureOf(value: unknown): unknown {
  const structure = structureOf(value)
  return typeof structure === 'string' ? (parsePythonStructure(structure) ?? structure) : structure
}

/** Reads a part of a message that is the result of a tool. */
export function readToolResult(value: unknown): ToolResult | undefined {
  if (!isObject(value)) return undefined
  const id = firstText(value, ID_NAMES)
  const name = firstText(value, ['name', 'toolName'])
  return {
    ...(name !== undefined && { name }),
    ...(id !== undefined && { id }),
    result: readResult(firstOf(value, RESULT_NAMES)),
  }
}

/**
 * The result of a tool. A list of text parts is its text, so that MCP and Anthropic results read like any other; a
 * result marked as an error stays whole.
 */
export function readResult(value: unknown): unknown {
  const structure = structureOf(value)
  if (Array.isArray(structure)) return textOfParts(structure) ?? structure
  if (!isObject(structure)) return structure === undefined ? '' : structure
  if (structure['isError'] === true || structure['is_error'] === true) return structure
  if (Array.isArray(structure['content'])) return textOfParts(structure['content']) ?? structure
  // The Vercel AI SDK: {type: 'text' | 'json', value}.
  const keys = Object.keys(structure)
  const isTagged = keys.length === 2 && typeof structure['type'] === 'string' && keys.includes('value')
  return isTagged && !String(structure['type']).startsWith('error') ? structure['value'] : structure
}

/** A result as the text of a message. */
export function resultText(result: unknown): string {
  return textOrJson(result) ?? ''
}

/** Reads tool definitions: a list, its JSON text, or a list of JSON texts; entries without a name are left out. */
export function readToolDefinitions(value: unknown): readonly ToolDefinition[] {
  const structure = structureOf(value)
  const list = isObject(structure) ? [structure] : listOf(structure)
  return list.flatMap((item) => readToolDefinition(item) ?? [])
}

function readToolDefinition(value: unknown): ToolDefinition | undefined {
  const outer = structureOf(value)
  if (!isObject(outer)) return undefined
  // OpenInference: {tool: {name?, description?, json_schema: text}}, or the same with dots.
  const tool = isObject(outer['tool']) ? outer['tool'] : outer
  const schema = structureOf(tool['json_schema'] ?? outer['tool.json_schema'])
  const fromSchema = isObject(schema) && hasName(schema) ? readToolDefinition(schema) : undefined
  if (fromSchema) return fromSchema
  const inner = isObject(tool['function']) ? tool['function'] : tool
  // A tool that the provider runs itself has only a type, for example `web_search`.
  const name = firstText(inner, ['name', 'tool.name']) ?? firstText(tool, ['name', 'tool.name', 'type'])
  if (name === undefined) return undefined
  const description = firstText(inner, ['description', 'tool.description'])
  const parameters =
    structureOf(firstOf(inner, ['parameters', 'input_schema', 'inputSchema', 'parametersJsonSchema'])) ??
    schema
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
  }
}

function hasName(schema: Readonly<Record<string, unknown>>): boolean {
  return textOf(schema['name']) !== undefined || isObject(schema['function'])
}

function textOfParts(parts: readonly unknown[]): unknown {
  const texts = parts.map((part) => {
    if (!isObject(part) || (part['type'] !== undefined && part['type'] !== 'text')) return undefined
    const text = part['text'] ?? part['content']
    const isWhole = part['type'] === 'text' || Object.keys(part).length === 1
    return typeof text === 'string' && isWhole ? text : undefined
  })
  if (texts.length === 0 || texts.includes(undefined)) return undefined
  return structureOf(texts.join('\n'))
}
