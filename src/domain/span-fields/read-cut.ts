import { closeCutJson } from '../../lib/cut-json.ts'
import type { Message } from './canonical-values.ts'
import { isCutOff, jsonOf, structureOf } from './json-value.ts'

/** Stands where the rest of a text is missing, so that no reader takes it for the whole. */
const CUT_MARK = ' [cut off]'

/** The part of a JSON text before it was cut off; undefined for everything else, a text that is no JSON included. */
export function beforeCut(value: unknown): unknown {
  if (typeof value !== 'string' || !(isCutOff(value) || value.startsWith('"'))) return undefined
  if (isCutOff(value) && !isCutOff(structureOf(value))) return undefined
  const closed = closeCutJson(value)
  return closed === undefined ? undefined : jsonOf(closed)
}

/** Reads messages from a value; from one that was cut off those before the cut, marked. */
export function readUncut(value: unknown, read: (value: unknown) => Message[]): Message[] {
  const part = beforeCut(value)
  return part === undefined ? read(value) : markCut(read(part))
}

/** A text that the rest is missing of. */
export function markCutText(text: string): string {
  return `${text}${CUT_MARK}`
}

/** Whether a value is a text that carries the mark. */
export function isMarkedCut(value: unknown): boolean {
  return typeof value === 'string' && value.endsWith(CUT_MARK)
}

// The last message ends in the cut. The question before it is marked too: the one that was answered may be in what is missing.
function markCut(messages: Message[]): Message[] {
  const question = messages.findLastIndex(({ role }) => role === 'user')
  return messages.map((message, at) =>
    at === messages.length - 1 || at === question
      ? { ...message, content: markCutText(message.content) }
      : message,
  )
}
