/** A part of a text, from its first character to the one after its last. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

const GAP = /\[ ?\.{3} ?\]|\.{3,}/

/** Finds quotes in one text, however many. Case, white space and kinds of quotation marks and dashes do not matter. */
export class QuoteFinder {
  readonly #plain: string
  /** Where each character of the plain text stands in the text. */
  readonly #places: readonly number[]

  constructor(text: string) {
    const { plain, places } = simplify(text)
    this.#plain = plain
    this.#places = places
  }

  /** Where the parts of a quote stand, in their order; undefined where one of them is missing. `...` stands for what was left out. */
  find(quote: string): Stretch[] | undefined {
    const parts = simplify(quote)
      .plain.split(GAP)
      .map((part) => part.replaceAll(/^["'\s]+|["'.,;:\s]+$/g, ''))
      .filter((part) => part !== '')
    if (parts.length === 0) return undefined
    const found: Stretch[] = []
    let from = 0
    for (const part of parts) {
      const at = this.#plain.indexOf(part, from)
      if (at < 0) return undefined
      from = at + part.length
      found.push({ from: this.#places[at] ?? 0, to: (this.#places[from - 1] ?? 0) + 1 })
    }
    return found
  }
}

function simplify(text: string): { plain: string; places: number[] } {
  const places: number[] = []
  let plain = ''
  let at = 0
  for (const character of text) {
    const simple = simpleCharacter(character)
    // A run of white space is one space, however long.
    if (simple !== '' && !(simple === ' ' && plain.endsWith(' '))) {
      plain += simple
      for (let index = 0; index < simple.length; index++)
        places.push(at + (index === simple.length - 1 ? character.length - 1 : 0))
    }
    at += character.length
  }
  return { plain, places }
}

function simpleCharacter(character: string): string {
  if (character >= 'a' && character <= 'z') return character
  if (/[‘’‚‛′`]/.test(character)) return "'"
  if (/[“”„‟″«»]/.test(character)) return '"'
  if (/[‐‑‒–—−]/.test(character)) return '-'
  if (/\s/.test(character)) return ' '
  if (/\p{Cf}/u.test(character)) return ''
  return character.normalize('NFKC').toLowerCase()
}
