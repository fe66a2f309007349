import { hash } from 'node:crypto'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { Message } from '../span-fields/canonical-values.ts'
import { structureOf, textOrJson } from '../span-fields/json-value.ts'

/**
 * Equal for messages that say and call the same. A hash, because a long trace has many long messages. Ids are no part of
 * it: one SDK sends them and another does not.
 */
function messageKey({ role, content, tool_calls: calls = [] }: Message): string {
  const said = role === 'tool' ? resultForm(content) : content.trim()
  const called = calls.map(({ name, arguments: args }) => [name, canonicalText(args)])
  return hash('sha1', `${JSON.stringify([role, called])} ${said}`, 'base64')
}

/** The keys that identify a message, the surest first; each is only worked out when the one before has led nowhere. */
export function* messageKeys(message: Message): Generator<string> {
  yield messageKey(message)
  yield* messageIds(message)
}

/** The same for what is sent to a model, which may name another speaker than the real one. */
export function* sentKeys(message: Message): Generator<string> {
  yield* messageKeys(message)
  yield* textKey(message)
}

/** The calls that a message makes or answers. */
function messageIds({ role, tool_calls: calls = [], tool_call_id: answered }: Message): string[] {
  if (role === 'tool') return answered === undefined ? [] : [`answer ${answered}`]
  const ids = calls.map(({ id, name }) => (id === undefined ? undefined : `${id} ${name}`))
  return ids.length === 0 || ids.includes(undefined) ? [] : [`calls ${ids.join(' ')}`]
}

/** The shortest text, in characters, that is taken to be the same under any speaker. */
const TEXT_CHARS_MIN = 40

/** Equal for messages of the same long text: frameworks tell a model what it said or found as words of the user. */
function textKey({ content, tool_calls: calls = [] }: Message): string[] {
  const text = content.trim()
  return text.length < TEXT_CHARS_MIN || calls.length > 0 ? [] : [`text ${hash('sha1', text, 'base64')}`]
}

// One SDK writes `{"a": 1}` and another `{"a":1}`.
function resultForm(content: string): string {
  const structure = structureOf(content)
  return typeof structure === 'object' ? canonicalText(structure) : content.trim()
}

/** A text that is the same for equal values whatever the order of their keys. */
export function canonicalText(value: unknown): string {
  try {
    return canonicalJson(value)
  } catch {
    // JSON has no integers beyond 2^53, and attributes do.
    return textOrJson(value) ?? ''
  }
}
