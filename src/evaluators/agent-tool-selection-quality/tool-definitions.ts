import type { ToolDefinition } from '../../domain/span-fields/canonical-values.ts'
import { readToolDefinitions } from '../../domain/span-fields/read-tools.ts'
import type { Message } from '../kit/fields.ts'

/** The words before a list of tools in a system message, for example `Available tools (JSON): [...]`. */
const LIST_HEAD =
  /\b(?:available |provided )?(?:tools|functions)\b[^[{\n]{0,60}[:\n]\s{0,10}(?=\[\s{0,10}\{)/gi

/** Longest list of tools in a system message that is read, in characters. */
const LIST_CHARS_MAX = 1_000_000

/**
 * The tools that an agent could choose from: those in a `tools` or `functions` field of any message, and those that a
 * system message lists as JSON. The first of a name counts. None: nothing is known about the tools.
 */
export function findToolDefinitions(messages: readonly Message[]): readonly ToolDefinition[] {
  const found = messages.flatMap((message) => [
    ...readToolDefinitions(message['tools']),
    ...readToolDefinitions(message['functions']),
    ...(isInstruction(message) ? listedIn(contentOf(message)) : []),
  ])
  return [...new Map(found.reverse().map((tool) => [tool.name, tool])).values()].reverse()
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

function contentOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return Array.isArray(content)
    ? content.map((part) => String(part?.text ?? part?.content ?? '')).join('\n')
    : ''
}

function listedIn(text: string): readonly ToolDefinition[] {
  const read = text.slice(0, LIST_CHARS_MAX)
  return [...read.matchAll(LIST_HEAD)].flatMap((head) => {
    const list = jsonListAt(read, head.index + head[0].length)
    return list === undefined ? [] : readToolDefinitions(list)
  })
}

/** The list that begins there, up to its own closing bracket; undefined when it has none or is no JSON. */
function jsonListAt(text: string, start: number): unknown {
  let depth = 0
  let isInText = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (isInText) {
      if (character === '\\') at++
      else if (character === '"') isInText = false
    } else if (character === '"') isInText = true
    else if (character === '[' || character === '{') depth++
    else if ((character === ']' || character === '}') && --depth === 0)
      return parse(text.slice(start, at + 1))
  }
  return undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
