const UNKNOWN = '[UNK]'
/** A longer word is one unknown piece, as in the encoder's own tokenizer. */
const WORD_CHARS_MAX = 100
// A punctuation mark or an East Asian ideograph stands alone; everything else up to white space is a word.
const ALONE = '\\p{P}$+<=>^`|~\\p{Script=Han}'
const WORDS = new RegExp(`[${ALONE}]|[^\\s${ALONE}]+`, 'gu')

/** Cuts texts into the pieces that the encoder knows, by number: lower case, without accents, longest piece first. */
export class WordPieces {
  readonly #pieces: readonly string[]
  readonly #numbers: ReadonlyMap<string, number>
  readonly #unknown: number

  /** `vocabulary` holds one piece per line; its line is its number. */
  constructor(vocabulary: string) {
    this.#pieces = vocabulary.trimEnd().split('\n')
    this.#numbers = new Map(this.#pieces.map((piece, number) => [piece, number]))
    this.#unknown = this.numberOf(UNKNOWN)
  }

  /** The number of a piece that must exist, such as a marker. */
  numberOf(piece: string): number {
    const number = this.#numbers.get(piece)
    if (number === undefined) throw new Error(`the vocabulary has no ${piece}`)
    return number
  }

  /** The pieces of a text, without markers at its ends. */
  split(text: string): number[] {
    const numbers: number[] = []
    for (const [word] of plain(text).matchAll(WORDS)) this.#splitWord(word, numbers)
    return numbers
  }

  /** The words that the pieces were cut from, as far as the vocabulary knows them. */
  join(numbers: readonly number[]): string[] {
    const words: string[] = []
    for (const number of numbers) {
      const piece = this.#pieces[number] ?? UNKNOWN
      if (piece.startsWith('##') && words.length > 0) words.push(words.pop() + piece.slice(2))
      else words.push(piece)
    }
    return words
  }

  #splitWord(word: string, numbers: number[]): void {
    const before = numbers.length
    if (word.length > WORD_CHARS_MAX) {
      numbers.push(this.#unknown)
      return
    }
    for (let start = 0; start < word.length; ) {
      let end = word.length
      let number: number | undefined
      while (end > start) {
        number = this.#numbers.get(start === 0 ? word.slice(0, end) : `##${word.slice(start, end)}`)
        if (number !== undefined) break
        end--
      }
      if (number === undefined) {
        // A word is known as a whole or not at all.
        numbers.length = before
        numbers.push(this.#unknown)
        return
      }
      numbers.push(number)
      start = end
    }
  }
}

/** Without control and invisible characters and accents, in lower case. */
function plain(text: string): string {
  if (/^[\x20-\x7e\n]*$/.test(text)) return text.toLowerCase()
  return text
    .replace(/[\t\n\r]/g, ' ')
    .replace(/[\p{C}\ufffd]/gu, '')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
}
