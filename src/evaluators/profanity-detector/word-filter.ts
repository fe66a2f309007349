import type { Lexicon } from './lexicon.ts'

const SLOT_BITS = 15
/** Three letters of five bits each. */
const TRIGRAMS = 2 ** 15

/** Says in a few instructions whether a word can be in the lexicon; wrong only in one direction. */
export class WordFilter {
  readonly #slots = new Uint8Array(2 ** SLOT_BITS)
  readonly #stemStarts = new Uint8Array(TRIGRAMS)

  constructor({ words, stems }: Lexicon) {
    for (const word of words.keys()) {
      let hash = 0
      for (let at = 0; at < word.length; at++) hash = this.nextHash(hash, word.charCodeAt(at) | 32)
      this.#slots[slotOf(hash)] = 1
    }
    for (const stem of stems) {
      // Doubled letters count once, as in the texts.
      const letters = stem.replace(/(.)\1+/g, '$1')
      let trigram = 0
      for (let at = 0; at < 3; at++) trigram = this.nextTrigram(trigram, letters.charCodeAt(at))
      this.#stemStarts[trigram] = 1
    }
  }

  nextHash(hash: number, letter: number): number {
    return (Math.imul(hash, 31) + letter) | 0
  }

  nextTrigram(trigram: number, letter: number): number {
    return ((trigram << 5) | (letter & 31)) & (TRIGRAMS - 1)
  }

  /** Whether a word with that hash may be in the lexicon. */
  mayHold(hash: number): boolean {
    return this.#slots[slotOf(hash)] === 1
  }

  /** Whether a stem begins with these three letters. */
  startsStem(trigram: number): boolean {
    return this.#stemStarts[trigram] === 1
  }
}

let known: { readonly of: Lexicon; readonly filter: WordFilter } | undefined

/** The filter of a lexicon; made once. */
export function wordFilterOf(lexicon: Lexicon): WordFilter {
  if (known?.of !== lexicon) known = { of: lexicon, filter: new WordFilter(lexicon) }
  return known.filter
}

function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (32 - SLOT_BITS)
}

const WORD = 1
const SIGN = 2
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return /[a-z\d]/i.test(char) ? WORD : /[-_.*#@$!|+%^~]/.test(char) ? SIGN : 0
})

/** Letters of any script, and digits: what stands beside them is not a word of its own. */
export function isWord(code: number): boolean {
  if (code < 128) return ASCII[code] === WORD
  const isPunctuation =
    code < 0xc0 || (code >= 0x2000 && code <= 0x2bff) || (code >= 0x3000 && code <= 0x303f)
  return !isPunctuation && code < 0xd800
}

/** Signs that can stand for a letter, hide one, or separate two. */
export function isSign(code: number): boolean {
  return ASCII[code] === SIGN
}
