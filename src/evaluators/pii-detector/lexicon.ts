import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { FLAG, KEYWORDS } from './word-flags.ts'
import { addToHash, EMPTY_HASH, hashWord } from './word-hash.ts'

// Beside `src` in a checkout and beside `dist` in the package: the same way up from here.
const WORD_LIST = new URL('../../../models/pii-names/words.txt.br', import.meta.url)

/** The flags of words by their hash: an open table, at most half full, of pairs so that one look reads both. */
export class Lexicon {
  readonly #mask: number
  readonly #pairs: Int32Array

  constructor(wordsMax: number) {
    const size = 2 ** Math.ceil(Math.log2(wordsMax * 2))
    this.#mask = size * 2 - 1
    this.#pairs = new Int32Array(size * 2)
  }

  /** The flags of the word with this hash; 0 when it is unknown. */
  flagsOf(hash: number): number {
    const pairs = this.#pairs
    for (let slot = this.#slotOf(hash); ; slot = (slot + 2) & this.#mask) {
      const key = pairs[slot]
      if (key === hash) return pairs[slot + 1] as number
      if (key === 0) return 0
    }
  }

  /** Adds what is known of the word with this hash. */
  add(hash: number, flags: number): void {
    const pairs = this.#pairs
    let slot = this.#slotOf(hash)
    while (pairs[slot] !== 0 && pairs[slot] !== hash) slot = (slot + 2) & this.#mask
    pairs[slot] = hash
    pairs[slot + 1] = (pairs[slot + 1] as number) | flags
  }

  #slotOf(hash: number): number {
    return ((hash ^ (hash >>> 15)) << 1) & this.#mask
  }
}

/** The lexicon with the keywords and with the lists of names, places and words that come with the model. */
export function loadLexicon(): Lexicon {
  return buildLexicon(brotliDecompressSync(readFileSync(WORD_LIST)))
}

/** Words of the list, and room for the keywords. */
const WORDS_MAX = 480_000
const WORD_CHARS_MAX = 255
const SPACE = 32
const LINE_END = 10

/**
 * The lexicon from a word list: sorted lines, each the number of characters shared with the line before (one letter, `a` is
 * 0), the rest of the word, a space and its flags as a hexadecimal number. Hashes of beginnings are kept, so that only the
 * rest is hashed and no strings are made: this is most of the time that loading takes.
 */
export function buildLexicon(list: Uint8Array): Lexicon {
  const lexicon = new Lexicon(WORDS_MAX)
  const hashes = new Int32Array(WORD_CHARS_MAX).fill(EMPTY_HASH)
  for (let at = 0; at < list.length; at++) {
    let length = (list[at++] as number) - 97
    for (; list[at] !== SPACE; length++) {
      const first = list[at++] as number
      let unit = first
      if (first >= 0xe0)
        unit = ((first & 15) << 12) | (((list[at++] as number) & 63) << 6) | ((list[at++] as number) & 63)
      else if (first >= 0xc0) unit = ((first & 31) << 6) | ((list[at++] as number) & 63)
      hashes[length + 1] = addToHash(hashes[length] as number, unit)
    }
    let flags = 0
    for (at++; at < list.length && list[at] !== LINE_END; at++) {
      const digit = list[at] as number
      flags = flags * 16 + (digit < 58 ? digit - 48 : digit - 55)
    }
    lexicon.add(hashes[length] as number, flags)
  }
  for (const [flag, words] of Object.entries(KEYWORDS)) {
    for (const keyword of words.split(/\s+/))
      lexicon.add(hashWord(keyword), FLAG[flag as keyof typeof KEYWORDS])
  }
  return lexicon
}
