import { WINDOW_TOKENS } from '../../lib/encoder/encoder.ts'
import { PublicError } from '../../lib/public-error.ts'

/** Most characters of all texts of one call that a model reads; about three seconds of work on a slow core. */
export const MODEL_TEXT_CHARS_MAX = 51_200
const MARKERS = 2

/** How a text is cut for reading: neighbours share tokens, so that what lies on a border is seen whole by one of them. */
export interface WindowSize {
  /** Tokens of a window, its two markers included. */
  readonly tokens: number
  readonly shared: number
}

/** As much as an encoder can read at once. */
export const WHOLE_WINDOW: WindowSize = { tokens: WINDOW_TOKENS, shared: 64 }
/** A few sentences. */
export const SMALL_WINDOW: WindowSize = { tokens: 64, shared: 24 }
/** A shorter sentence is read together with the next one. */
const SENTENCE_TOKENS_MIN = 6

/** Refuses what would take too long to read, instead of reading only a part of it. */
export function requireReadable(texts: Readonly<Record<string, string>>): void {
  const chars = Object.values(texts).reduce((sum, text) => sum + text.length, 0)
  if (chars <= MODEL_TEXT_CHARS_MAX) return
  const names = Object.keys(texts).map((name) => `input.${name}`)
  throw new PublicError(
    'too_large',
    `${names.join(' and ')} must have at most ${MODEL_TEXT_CHARS_MAX} characters${names.length > 1 ? ' together' : ''}`,
  )
}

/** The windows in which a long text is read: every token is in at least one. A text without tokens has none. */
export function windowsOf(
  tokens: readonly number[],
  [first, last]: readonly [number, number],
  size: WindowSize,
): number[][] {
  const room = size.tokens - MARKERS
  const windows: number[][] = []
  for (let start = 0; start < tokens.length; start += room - size.shared) {
    windows.push([first, ...tokens.slice(start, start + room), last])
    if (start + room >= tokens.length) break
  }
  return windows
}

/**
 * A text that is longer than a small window, sentence by sentence: one insult in a calm text weighs too little when they
 * are read together. `ends` are the tokens that end a sentence. Every token is in exactly one part.
 */
export function sentencesOf(tokens: readonly number[], ends: ReadonlySet<number>): number[][] {
  if (tokens.length <= SMALL_WINDOW.tokens - MARKERS) return [[...tokens]]
  const sentences: number[][] = []
  let start = 0
  for (let at = 0; at < tokens.length; at++) {
    const isEnd = ends.has(tokens[at] ?? -1) && !ends.has(tokens[at + 1] ?? -1)
    if (at + 1 < tokens.length && (!isEnd || at + 1 - start < SENTENCE_TOKENS_MIN)) continue
    sentences.push(tokens.slice(start, at + 1))
    start = at + 1
  }
  return sentences
}

/** Neighbouring windows in groups that an encoder reads at once: many small ones together take the time of a large one. */
export function* groupsOf(windows: readonly number[][]): Generator<number[][]> {
  let group: number[][] = []
  let tokens = 0
  for (const window of windows) {
    if (tokens + window.length > WINDOW_TOKENS) {
      yield group
      group = []
      tokens = 0
    }
    group.push(window)
    tokens += window.length
  }
  if (group.length > 0) yield group
}
