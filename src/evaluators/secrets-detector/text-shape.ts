import { wordShare } from './word-share.ts'

/** The characters of a value, counted by kind; every measure is taken in one pass. */
export interface Shape {
  readonly length: number
  readonly lower: number
  readonly upper: number
  readonly digits: number
  /** Everything that is neither an ASCII letter nor an ASCII digit. */
  readonly symbols: number
  readonly spaces: number
  /** Shannon entropy in bits per character. */
  readonly entropy: number
  /** How often the kind of character (lower, upper, digit, symbol) changes; a capital followed by small ones is no change. */
  readonly changes: number
}

const [LOWER, UPPER, DIGIT, SYMBOL] = [0, 1, 2, 3] as const

/** Measures a value of at most a few hundred characters. */
export function shapeOf(value: string): Shape {
  const kinds: [number, number, number, number] = [0, 0, 0, 0]
  // Beyond ASCII all characters share one place: a value full of them is not judged by its entropy.
  const seen = new Uint16Array(129)
  let spaces = 0
  let changes = 0
  let before: number | undefined
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    const kind = kindOf(code)
    kinds[kind]++
    if (code === 32) spaces++
    if (before !== undefined && kind !== before && !(before === UPPER && kind === LOWER)) changes++
    before = kind
    const place = Math.min(code, 128)
    seen[place] = (seen[place] ?? 0) + 1
  }
  let entropy = 0
  for (const count of seen) {
    if (count === 0) continue
    entropy -= (count / value.length) * Math.log2(count / value.length)
  }
  const [lower, upper, digits, symbols] = kinds
  return { length: value.length, lower, upper, digits, symbols, spaces, entropy, changes }
}

function kindOf(code: number): 0 | 1 | 2 | 3 {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  return code >= 48 && code <= 57 ? DIGIT : SYMBOL
}

/** The length of the longest run such as `abcdefg`, `1234567890` or `98765`, in either direction and in either case. */
export function longestSequence(value: string): number {
  let longest = 0
  let up = 1
  let down = 1
  let before = -10
  for (let at = 0; at < value.length; at++) {
    const code = sequencePlace(value.charCodeAt(at))
    up = code - before === 1 || (before === 57 && code === 97) || (before === 57 && code === 48) ? up + 1 : 1
    down = before - code === 1 ? down + 1 : 1
    longest = Math.max(longest, up, down)
    before = code
  }
  return longest
}

/** Digits and small letters have their code, capitals that of their small letter; nothing else ever continues a run. */
function sequencePlace(code: number): number {
  if ((code >= 48 && code <= 57) || (code >= 97 && code <= 122)) return code
  return code >= 65 && code <= 90 ? code + 32 : -10
}

/** The share of characters that continue a run or repeat the one before: `abcd1234` and `aaaa1111` are high. */
export function regularShare(value: string): number {
  let regular = 0
  for (let at = 1; at < value.length; at++) {
    const step = value.charCodeAt(at) - value.charCodeAt(at - 1)
    if (step === 0 || step === 1 || step === -1) regular++
  }
  return value.length < 2 ? 0 : regular / (value.length - 1)
}

// The least entropy of random text by length: log2 of the length for short ones, the size of the alphabet for long ones.
const HEX_BITS_MIN = 2.6
const BASE64_BITS_MIN = 3.6
const SHORT_SHARE_MIN = 0.8

/** True for values such as keys: no words, many changes of kind, entropy near the most that the length allows. */
export function looksRandom(value: string, shape: Shape = shapeOf(value)): boolean {
  if (shape.length < 8 || shape.spaces > 0) return false
  if (/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(value)) {
    return (
      shape.length >= 16 && shape.digits > 0 && shape.lower + shape.upper > 0 && shape.entropy >= HEX_BITS_MIN
    )
  }
  const bitsMin = Math.min(BASE64_BITS_MIN, SHORT_SHARE_MIN * Math.log2(shape.length))
  if (shape.entropy < bitsMin) return false
  const words = wordShare(value)
  if (words > 0.5) return false
  if (shape.digits === 0) return isRandomLetters(shape, words)
  return shape.changes >= shape.length / 9
}

/** Without digits: capitals and small letters in no order, or a long text of one case without any word in it. */
function isRandomLetters(shape: Shape, words: number): boolean {
  if (words > 0.3) return false
  if (shape.upper > 0 && shape.lower > 0) return shape.changes >= shape.length / 6
  return shape.length >= 16 && shape.symbols === 0 && words === 0
}
