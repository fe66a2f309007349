import type { TokenVocabulary } from './token-vocabulary.ts'

/**
 * True when deleting parts of `whole` can give `part`: its tags and attributes are among those of `whole` in the same
 * order, and so are the characters of its text.
 *
 * Characters and not words, because a deletion can join words: `a<b>x</b>c` without its `b` is `ac`. Layout tokens do
 * not count, since deletions make white space seen and unseen. Takes linear time.
 */
export function isReduction(part: Int32Array, whole: Int32Array, vocabulary: TokenVocabulary): boolean {
  const reader = new TokenReader(whole, vocabulary)
  for (const id of part) {
    const kind = vocabulary.kindOf(id)
    if (kind === 'layout') continue
    if (kind === 'text' ? !reader.skipPastText(id) : !reader.skipPastToken(id)) return false
  }
  return true
}

/** Reads a document from start to end and finds the next place of something. */
class TokenReader {
  readonly #tokens: Int32Array
  readonly #vocabulary: TokenVocabulary
  #at = 0
  /** How many characters of the token at hand are used up. */
  #offset = 0

  constructor(tokens: Int32Array, vocabulary: TokenVocabulary) {
    this.#tokens = tokens
    this.#vocabulary = vocabulary
  }

  skipPastToken(id: number): boolean {
    if (this.#offset > 0) this.#nextToken()
    while (this.#at < this.#tokens.length && this.#tokens[this.#at] !== id) this.#at += 1
    this.#at += 1
    return this.#at <= this.#tokens.length
  }

  skipPastText(id: number): boolean {
    if (this.#offset === 0 && this.#tokens[this.#at] === id) {
      this.#at += 1
      return true
    }
    for (const unit of unitsOf(this.#vocabulary.contentOf(id))) if (!this.#skipPastUnit(unit)) return false
    return true
  }

  #skipPastUnit(unit: string): boolean {
    while (this.#at < this.#tokens.length) {
      const id = this.#tokens[this.#at] as number
      if (this.#vocabulary.kindOf(id) === 'text') {
        const found = this.#vocabulary.contentOf(id).indexOf(unit, this.#offset)
        if (found >= 0) {
          this.#offset = found + 1
          return true
        }
      }
      this.#nextToken()
    }
    return false
  }

  #nextToken(): void {
    this.#at += 1
    this.#offset = 0
  }
}

function* unitsOf(text: string): Generator<string> {
  for (let index = 0; index < text.length; index += 1) yield text.charAt(index)
}
