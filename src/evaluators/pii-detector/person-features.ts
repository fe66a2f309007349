import { SHAPE, TOKEN, type Tokens } from './tokens.ts'
import { FLAG } from './word-flags.ts'

/** Weights of the model: features are hashed into this many places. */
export const WEIGHT_BITS = 18
/** No token has more features than this. */
export const FEATURES_MAX = 64

const LISTED = 0xff
const NAMED = FLAG.given | FLAG.surname
const FREQUENT = FLAG.givenFrequent | FLAG.surnameFrequent
const NOBODY = FLAG.common | FLAG.dictionary
const OUTSIDE = 0x2545f491
const DOT = 46

/**
 * True for tokens that may be part of a person's name; the others are never asked about. Words in lower case only where
 * they are no ordinary words, words with a capital unless they are ordinary and not also frequent names.
 */
export function mayBeName(tokens: Tokens, token: number): boolean {
  if (tokens.kind[token] !== TOKEN.word) return false
  const flags = tokens.flags[token] as number
  const shape = tokens.shape[token]
  if (shape === SHAPE.lower) {
    if (flags & FREQUENT && !(flags & FLAG.common)) return true
    return (flags & NOBODY) === 0 && (tokens.end[token] as number) - (tokens.start[token] as number) > 2
  }
  if (shape === SHAPE.initial) return false
  // Months, days, languages: they have a capital and are no names, but for April, June and Christian.
  if (flags & FLAG.capitalised && !(flags & FLAG.givenFrequent)) return false
  if (shape === SHAPE.caseless) return (flags & NAMED) !== 0
  return !(flags & FLAG.common) || (flags & FREQUENT) !== 0
}

/** Writes the features of a token, as places of the weights, into `out`; returns how many. */
export function writeFeatures(tokens: Tokens, token: number, out: Int32Array): number {
  let count = 0
  const word = hashAt(tokens, token)
  const previous = previousWord(tokens, token)
  const [before, after] = [hashAt(tokens, previous), hashAt(tokens, token + 1)]
  const [before2, after2] = [hashAt(tokens, previous - 1), hashAt(tokens, token + 2)]
  const self = classAt(tokens, token)
  const [left, right] = [classAt(tokens, previous), classAt(tokens, token + 1)]
  const [left2, right2] = [classAt(tokens, previous - 1), classAt(tokens, token + 2)]
  const isFirst = previous === token - 1 && isSentenceStart(tokens, token) ? 1 : 0
  out[count++] = place(0, 0, 0, 0)
  out[count++] = place(1, word, 0, 0)
  out[count++] = place(2, before, 0, 0)
  out[count++] = place(3, after, 0, 0)
  out[count++] = place(4, before2, 0, 0)
  out[count++] = place(5, after2, 0, 0)
  out[count++] = place(6, before, after, 0)
  out[count++] = place(7, before2, before, 0)
  out[count++] = place(8, after, after2, 0)
  out[count++] = place(9, self, 0, 0)
  out[count++] = place(10, left, 0, 0)
  out[count++] = place(11, right, 0, 0)
  out[count++] = place(12, left, self, 0)
  out[count++] = place(13, self, right, 0)
  out[count++] = place(14, left, self, right)
  out[count++] = place(15, left2, left, 0)
  out[count++] = place(16, right, right2, 0)
  out[count++] = place(17, self, isFirst, 0)
  out[count++] = place(18, before, self, 0)
  out[count++] = place(19, after, self, 0)
  out[count++] = place(20, before, self, right)
  out[count++] = place(21, left, self, after)
  out[count++] = place(22, hashAt(tokens, token - 3), 0, 0)
  out[count++] = place(23, hashAt(tokens, token + 3), 0, 0)
  const keywords = wideKeywords(tokens, token)
  out[count++] = place(24, keywords, 0, 0)
  out[count++] = place(25, keywords, self, 0)
  out[count++] = place(26, before2, before, self)
  out[count++] = place(37, isGerman(tokens, token), self, isFirst)
  out[count++] = place(38, capitalsNear(tokens, token), self, 0)
  out[count++] = place(27, self, after, after2)
  return writeSpelling(tokens, token, self, isFirst, out, count)
}

/** The token before, or the title or initial whose dot that is: `Dr. Okafor` and `J. Okafor` begin no sentence. */
function previousWord(tokens: Tokens, token: number): number {
  if (token < 2 || tokens.signAt(token - 1) !== DOT) return token - 1
  const isTitle = ((tokens.flags[token - 2] as number) & FLAG.title) !== 0
  return isTitle || tokens.shape[token - 2] === SHAPE.initial ? token - 2 : token - 1
}

/** How the word is spelled: its beginning, its end, its length. */
function writeSpelling(
  tokens: Tokens,
  token: number,
  self: number,
  isFirst: number,
  out: Int32Array,
  from: number,
): number {
  const { text } = tokens
  const start = tokens.start[token] as number
  const end = tokens.end[token] as number
  const length = Math.min(end - start, 12)
  const shape = tokens.shape[token] as number
  let count = from
  let suffix = 0
  for (let back = 1; back <= 4 && end - back >= start; back++) {
    suffix = Math.imul(suffix, 31) + (text.charCodeAt(end - back) | 32)
    if (back >= 2) out[count++] = place(28 + back, suffix, 0, 0)
    if (back === 3) out[count++] = place(33, suffix, shape, self & LISTED & NOBODY)
  }
  let prefix = 0
  for (let at = 0; at < 3 && start + at < end; at++)
    prefix = Math.imul(prefix, 31) + (text.charCodeAt(start + at) | 32)
  out[count++] = place(34, prefix, 0, 0)
  out[count++] = place(35, length, shape, 0)
  out[count++] = place(36, shape, isFirst, shapeAt(tokens, token - 1) * 8 + shapeAt(tokens, token + 1))
  return count
}

/** Where a feature's weight is. */
function place(template: number, a: number, b: number, c: number): number {
  let hash = Math.imul(template + 1, 0x9e3779b1) ^ Math.imul(a, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15) ^ Math.imul(b, 0xc2b2ae35), 0x27d4eb2f)
  hash = Math.imul(hash ^ (hash >>> 13) ^ Math.imul(c, 0x165667b1), 0x9e3779b1)
  return (hash ^ (hash >>> 16)) >>> (32 - WEIGHT_BITS)
}

function hashAt(tokens: Tokens, token: number): number {
  return token >= 0 && token < tokens.count ? (tokens.hash[token] as number) : OUTSIDE
}

/** Lists and shape of a word, or what else stands there. */
function classAt(tokens: Tokens, token: number): number {
  if (token < 0 || token >= tokens.count) return -1
  const kind = tokens.kind[token] as number
  if (kind === TOKEN.word) {
    const flags = tokens.flags[token] as number
    const keyword = flags & (FLAG.title | FLAG.naming | FLAG.organisation | FLAG.street | FLAG.capitalised)
    return (((flags & LISTED) | (keyword >>> 4)) << 3) | (tokens.shape[token] as number)
  }
  return kind === TOKEN.sign ? (tokens.hash[token] as number) : -1 - kind
}

function shapeAt(tokens: Tokens, token: number): number {
  return token >= 0 && token < tokens.count ? (tokens.shape[token] as number) : 7
}

/** The flags of the four words before and the three after: titles, "name", organisations, places, streets. */
function wideKeywords(tokens: Tokens, token: number): number {
  const asked = FLAG.title | FLAG.naming | FLAG.phone
  let before = 0
  for (let at = Math.max(0, token - 4); at < token; at++) before |= tokens.flags[at] as number
  let after = 0
  for (let at = token + 1; at <= Math.min(tokens.count - 1, token + 3); at++)
    after |= tokens.flags[at] as number
  return (before & asked) | ((after & (FLAG.organisation | FLAG.street)) << 1)
}

/** Whether capitals are used at all nearby: a name in lower case is likely only where they are not. */
function capitalsNear(tokens: Tokens, token: number): number {
  const from = tokens.titlesBefore[Math.max(0, token - 10)] as number
  const to = tokens.titlesBefore[Math.min(tokens.count, token + 11)] as number
  return Math.min(to - from - (tokens.shape[token] === SHAPE.title ? 1 : 0), 3)
}

/** 1 where German words stand nearby. */
function isGerman(tokens: Tokens, token: number): number {
  const from = tokens.germansBefore[Math.max(0, token - 6)] as number
  const to = tokens.germansBefore[Math.min(tokens.count, token + 7)] as number
  return to > from ? 1 : 0
}

function isSentenceStart(tokens: Tokens, token: number): boolean {
  if (token === 0) return true
  const kind = tokens.kind[token - 1]
  if (kind === TOKEN.lineEnd) return true
  const sign = tokens.signAt(token - 1)
  return sign === 46 || sign === 33 || sign === 63 || sign === 34 || sign === 8220 || sign === 58
}
