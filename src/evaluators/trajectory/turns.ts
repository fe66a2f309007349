import type { Message, ToolCall } from '../../domain/span-fields/canonical-values.ts'
import { textOrJson } from '../../domain/span-fields/json-value.ts'
import { readMessage } from '../../domain/span-fields/read-message.ts'
import { invalidInput, PublicError } from '../../lib/public-error.ts'
import { JUDGED_SOURCE_CHARS_MAX } from '../judged/limits.ts'

/** One message, call or result; `at` counts from 1 and names it in questions and reasons. */
export interface Turn {
  readonly at: number
  /** `system`, `user`, `assistant` or `tool`; a role that means none of these stays as it was sent. */
  readonly role: string
  readonly text: string
  readonly calls: readonly ToolCall[]
  /** The tool that answered, in a turn with role `tool`. */
  readonly tool?: string
}

/** Most turns that a conversation may have. */
export const TURNS_MAX = 2_000

/**
 * Reads what was sent and what was answered, two lists of the same length or nearly so, as one conversation: the first
 * prompt, the first completion, the second prompt and so on. Entries are texts, messages of any client, or lists of them.
 */
export function readExchanges(
  prompts: readonly unknown[],
  completions: readonly unknown[],
  names: readonly [prompts: string, completions: string] = ['prompts', 'completions'],
): Turn[] {
  if (prompts.length === 0) throw invalidInput(`input.${names[0]} must contain at least one item`)
  const messages: Message[] = []
  for (let at = 0; at < Math.max(prompts.length, completions.length); at++) {
    if (at < prompts.length) messages.push(...readEntry(prompts[at], 'user'))
    if (at < completions.length) messages.push(...readEntry(completions[at], 'assistant'))
  }
  return turnsOf(messages, names[0])
}

/** Reads a list of messages, in the form of any client. */
export function readTurns(messages: readonly unknown[], name: string): Turn[] {
  if (messages.length === 0) throw invalidInput(`input.${name} must contain at least one item`)
  return turnsOf(
    messages.flatMap((message) => readEntry(message, 'user')),
    name,
  )
}

/** Refuses what is too long for a judge; nothing is ever cut off without a word. */
export function requireReadable(name: string, ...texts: readonly string[]): void {
  const chars = texts.reduce((sum, text) => sum + text.length, 0)
  if (chars > JUDGED_SOURCE_CHARS_MAX)
    throw new PublicError(
      'too_large',
      `input.${name} is too long for a judge: ${chars} characters, at most ${JUDGED_SOURCE_CHARS_MAX}`,
    )
}

/** The text and the calls of a turn, as the lines of a transcript. */
export function turnText(turn: Turn): string {
  const who = turn.role === 'tool' && turn.tool !== undefined ? `tool ${turn.tool}` : turn.role
  const lines = turn.text === '' && turn.calls.length > 0 ? [] : [`[${turn.at}] ${who}: ${turn.text}`]
  for (const call of turn.calls) lines.push(`[${turn.at}] ${who} calls ${callText(call)}`)
  return lines.join('\n')
}

/** A whole conversation, a turn after the other, each with its number. */
export function transcriptOf(turns: readonly Turn[]): string {
  return turns.map(turnText).join('\n')
}

/** `search({"query":"Oslo"})`. */
export function callText({ name, arguments: args }: ToolCall): string {
  return `${name}(${typeof args === 'string' ? args : JSON.stringify(args)})`
}

/** The turns of a role that say something. */
export function saidBy(turns: readonly Turn[], role: string): Turn[] {
  return turns.filter((turn) => turn.role === role && turn.text.trim() !== '')
}

function readEntry(entry: unknown, role: string): Message[] {
  if (typeof entry === 'string') return [{ role, content: entry }]
  const list = Array.isArray(entry) ? entry : [entry]
  const messages = list.flatMap((item) => readMessage(item, role))
  if (messages.length > 0) return messages
  // An entry that is no message of any known client is read as plain text.
  const text = textOrJson(entry)
  return text === undefined ? [] : [{ role, content: text }]
}

function turnsOf(messages: readonly Message[], name: string): Turn[] {
  if (messages.length > TURNS_MAX) throw invalidInput(`input.${name} must have at most ${TURNS_MAX} turns`)
  const names = new Map<string, string>()
  return messages.map(({ role, content, tool_calls: calls = [], name: tool, tool_call_id: id }, at) => {
    for (const call of calls) if (call.id !== undefined) names.set(call.id, call.name)
    const answering = tool ?? (id === undefined ? undefined : names.get(id))
    return {
      at: at + 1,
      role,
      text: content,
      calls,
      ...(role === 'tool' && answering !== undefined && { tool: answering }),
    }
  })
}
