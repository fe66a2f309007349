import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { FLAG, KEYWORDS } from './word-flags.ts'
import { hashWord } from './word-hash.ts'

// Beside `src` in a checkout and beside `dist` in the package: the same way up from here.
const WORD_LIST = new URL('../../../models/pii-names/words.txt.br', import.meta.url)

/** The flags of words by their hash: an open table that is never more than half full. */
export class Lexicon {
  readonly #mask: number
  readonly #keys: Int32Array
  readonly #values: Int32Array

  constructor(wordsMax: number) {
    const size = 2 ** Math.ceil(Math.log2(wordsMax * 2))
    this.#mask = size - 1
    this.#keys = new Int32Array(size)
    this.#values = new Int32Array(size)
  }

  /** What is known of the word with this hash; 0 when nothing is. */
  readonly flagsOf = (hash: number): number => {
    const mask = this.#mask
    const keys = this.#keys
    let slot = (hash ^ (hash >>> 15)) & mask
    while (keys[slot] !== 0) {
      if (keys[slot] === hash) return this.#values[slot] as number
      slot = (slot + 1) & mask
    }
    return 0
  }

  /** Adds what is known of a word. */
  add(word: string, flags: number): void {
    const hash = hashWord(word)
    let slot = (hash ^ (hash >>> 15)) & this.#mask
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== hash) slot = (slot + 1) & this.#mask
    this.#keys[slot] = hash
    this.#values[slot] = (this.#values[slot] as number) | flags
  }
}

/** The lexicon with the keywords and with the lists of names, places and words that come with the model. */
export function loadLexicon(): Lexicon {
  return buildLexicon(brotliDecompressSync(readFileSync(WORD_LIST)).toString('utf8'))
}

/**
 * The lexicon from a word list: sorted lines, each the number of characters shared with the line before (one letter, `a` is
 * 0), the rest of the word, and its flags as a hexadecimal number in capitals after a space.
 */
export function buildLexicon(list: string): Lexicon {
  const lines = list === '' ? [] : list.trimEnd().split('\n')
  const lexicon = new Lexicon(lines.length + 4_096)
  let word = ''
  for (const line of lines) {
    const space = line.lastIndexOf(' ')
    word = word.slice(0, line.charCodeAt(0) - 97) + line.slice(1, space)
    lexicon.add(word, Number.parseInt(line.slice(space + 1), 16))
  }
  for (const [flag, words] of Object.entries(KEYWORDS)) {
    for (const keyword of words.split(/\s+/)) lexicon.add(keyword, FLAG[flag as keyof typeof KEYWORDS])
  }
  return lexicon
}
