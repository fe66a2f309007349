import type { Lexicon } from './lexicon.ts'
import { FLAG } from './word-flags.ts'
import { addToHash, EMPTY_HASH, hashWord } from './word-hash.ts'

/** The kind of a token. White space makes none, except the end of a line. */
export const TOKEN = { word: 1, number: 2, mixed: 3, sign: 4, lineEnd: 5 } as const

/** How a word is written. */
export const SHAPE = { lower: 0, title: 1, upper: 2, initial: 3, other: 4, caseless: 5 } as const

/** Characters read at a time; a window begins again this much before the end of the one before it. */
export const WINDOW_CHARS = 16_384
export const WINDOW_OVERLAP_CHARS = 512

const SIGN = 0
const LETTER = 1
const DIGIT = 2
const SPACE = 3
const LINE_END = 4
const OTHER_LETTER = 5

/** The class of each UTF-16 unit. */
function classifyUnits(): Uint8Array {
  const classes = new Uint8Array(0x10000)
  for (let unit = 0; unit < 0x10000; unit++) {
    const character = String.fromCharCode(unit)
    if (/[A-Za-z]/.test(character)) classes[unit] = LETTER
    else if (/[0-9]/.test(character)) classes[unit] = DIGIT
    else if (character === '\n') classes[unit] = LINE_END
    else if (/\s/.test(character)) classes[unit] = SPACE
    else if (/[\p{L}\p{M}]/u.test(character)) classes[unit] = OTHER_LETTER
  }
  return classes
}

/**
 * The tokens of one window of a text, in arrays that are used again for the next. The flags of a token's word are looked up
 * while it is read, because all recognisers need them.
 */
export class Tokens {
  text = ''
  count = 0
  readonly kind = new Uint8Array(WINDOW_CHARS + 1)
  readonly shape = new Uint8Array(WINDOW_CHARS + 1)
  readonly start = new Int32Array(WINDOW_CHARS + 1)
  readonly end = new Int32Array(WINDOW_CHARS + 1)
  readonly hash = new Int32Array(WINDOW_CHARS + 1)
  readonly flags = new Int32Array(WINDOW_CHARS + 1)

  /** How many words before a token begin with a capital, and how many are German: differences tell of a stretch. */
  readonly titlesBefore = new Int32Array(WINDOW_CHARS + 2)
  readonly germansBefore = new Int32Array(WINDOW_CHARS + 2)
  readonly #classes = classifyUnits()
  readonly #lexicon: Lexicon

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon
  }

  /** Reads the window that begins at `from`; returns where the next one begins, or -1 at the end of the text. */
  read(text: string, from: number): number {
    this.text = text
    this.count = 0
    const limit = Math.min(text.length, from + WINDOW_CHARS)
    for (let at = from; at < limit; ) {
      const kind = this.#classes[text.charCodeAt(at)]
      if (kind === SPACE) at++
      else if (kind === SIGN) at = this.#push(TOKEN.sign, at, at + 1)
      else if (kind === LINE_END) at = this.#push(TOKEN.lineEnd, at, at + 1)
      else at = this.#readRun(at, limit)
    }
    this.#countWords()
    return limit === text.length ? -1 : limit - WINDOW_OVERLAP_CHARS
  }

  /** The text of a token. */
  textOf(token: number): string {
    return this.text.slice(this.start[token], this.end[token])
  }

  /** The UTF-16 unit that a sign token is; 0 for other tokens and outside of the window. */
  signAt(token: number): number {
    return this.kind[token] === TOKEN.sign && token >= 0 && token < this.count
      ? this.text.charCodeAt(this.start[token] as number)
      : 0
  }

  /** True when nothing stands between a token and the one before it. */
  isJoined(token: number): boolean {
    return token > 0 && this.start[token] === this.end[token - 1]
  }

  #countWords(): void {
    for (let token = 0; token < this.count; token++) {
      const isGerman = (this.flags[token] as number) & FLAG.german
      this.titlesBefore[token + 1] =
        (this.titlesBefore[token] as number) + (this.shape[token] === SHAPE.title ? 1 : 0)
      this.germansBefore[token + 1] = (this.germansBefore[token] as number) + (isGerman ? 1 : 0)
    }
  }

  /** Letters and digits up to the next other character. Underscores join, as in identifiers. */
  #readRun(start: number, limit: number): number {
    let hash = EMPTY_HASH
    let seen = 0
    let capitals = 0
    let at = start
    for (; at < limit; at++) {
      const unit = this.text.charCodeAt(at)
      const kind = this.#classes[unit] as number
      if (kind === LETTER) {
        seen |= 1
        if (unit < 97) capitals++
        hash = addToHash(hash, unit | 32)
      } else if (kind === DIGIT) seen |= 2
      else if (kind === OTHER_LETTER) seen |= 5
      else if (unit === 95 && at > start) seen |= 2
      else break
    }
    const token = this.count
    if (seen === 2) return this.#push(TOKEN.number, start, at)
    if (seen & 2) return this.#push(TOKEN.mixed, start, at)
    this.#push(TOKEN.word, start, at)
    if (seen & 4) {
      const word = this.text.slice(start, at)
      this.hash[token] = hashWord(word)
      this.shape[token] = shapeOf(word)
    } else {
      this.hash[token] = hash
      this.shape[token] = shapeOfPlain(this.text.charCodeAt(start) < 97, capitals, at - start)
    }
    this.flags[token] = this.#lexicon.flagsOf(this.hash[token] as number)
    return at
  }

  #push(kind: number, start: number, end: number): number {
    const token = this.count++
    this.kind[token] = kind
    this.shape[token] = SHAPE.other
    this.start[token] = start
    this.end[token] = end
    this.hash[token] = kind === TOKEN.sign ? -this.text.charCodeAt(start) : kind
    this.flags[token] = 0
    return end
  }
}

function shapeOfPlain(startsUpper: boolean, capitals: number, length: number): number {
  if (capitals === 0) return SHAPE.lower
  if (length === 1) return SHAPE.initial
  if (capitals === length) return SHAPE.upper
  // Names such as McDonald and DeShawn have a second capital.
  if (startsUpper && capitals <= 2) return SHAPE.title
  return SHAPE.other
}

function shapeOf(word: string): number {
  const lower = word.toLowerCase()
  const upper = word.toUpperCase()
  if (lower === upper) return SHAPE.caseless
  if (word === lower) return SHAPE.lower
  if (word === upper) return word.length === 1 ? SHAPE.initial : SHAPE.upper
  return word[0] === upper[0] ? SHAPE.title : SHAPE.other
}
