import type { Tokens } from './tokens.ts'
import { FLAG } from './word-flags.ts'

const TOKENS_BEFORE = 10
const TOKENS_AFTER = 4
const CHARS_BEFORE = 80
const CHARS_AFTER = 30

/** The flags of the words around a stretch of tokens: what a number there is about. Looks a fixed distance, no further. */
export function contextOf(tokens: Tokens, first: number, last: number): number {
  return flagsBefore(tokens, first, TOKENS_BEFORE) | flagsAfter(tokens, last)
}

/** The flags of the words before a token. */
export function flagsBefore(tokens: Tokens, first: number, count: number): number {
  const begin = tokens.start[first] as number
  let flags = 0
  for (let token = first - 1; token >= Math.max(0, first - count); token--) {
    if (begin - (tokens.end[token] as number) > CHARS_BEFORE) break
    flags |= tokens.flags[token] as number
  }
  return flags
}

function flagsAfter(tokens: Tokens, last: number): number {
  const end = tokens.end[last] as number
  let flags = 0
  for (let token = last + 1; token <= Math.min(tokens.count - 1, last + TOKENS_AFTER); token++) {
    if ((tokens.start[token] as number) - end > CHARS_AFTER) break
    flags |= tokens.flags[token] as number
  }
  // "12345 and my phone ..." says nothing about 12345; only these are also said afterwards.
  return flags & (FLAG.phone | FLAG.otherNumber)
}
