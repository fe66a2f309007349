/** A part of a text, from its first character to the one after its last. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

const GAP = /\[ ?\.{3} ?\]|\.{3,}/

/**
 * Finds quotes in one text, however many. Case, white space and kinds of quotation marks and dashes do not matter: JSON is
 * shown with other line breaks than it was quoted with.
 */
export class QuoteFinder {
  readonly #text: string
  readonly #plain: string
  /** Where each character of the plain text stands in the text. */
  readonly #places: readonly number[]

  constructor(text: string) {
    const { plain, places } = simplify(text)
    this.#text = text
    this.#plain = plain
    this.#places = places
  }

  /** Where the parts of a quote stand, in their order; undefined where one of them is missing. `...` stands for what was left out. */
  find(quote: string): Stretch[] | undefined {
    const parts = simplify(quote)
      .plain.split(GAP)
      .map((part) => part.replaceAll(/^["']+|["'.,;:]+$/g, ''))
      .filter((part) => part !== '')
    if (parts.length === 0) return undefined
    const found: Stretch[] = []
    let from = 0
    for (const part of parts) {
      const at = this.#plain.indexOf(part, from)
      if (at < 0) return undefined
      from = at + part.length
      found.push({ from: this.#places[at] ?? 0, to: this.#endAt(from - 1) })
    }
    return found
  }

  #endAt(plainAt: number): number {
    const at = this.#places[plainAt] ?? 0
    return at + ((this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
  }
}

function simplify(text: string): { plain: string; places: number[] } {
  const places: number[] = []
  let plain = ''
  let at = 0
  for (const character of text) {
    const simple = simpleCharacter(character)
    plain += simple
    for (let index = 0; index < simple.length; index++) places.push(at)
    at += character.length
  }
  return { plain, places }
}

const known = new Map<string, string>()

// Texts are long and have few different characters.
function simpleCharacter(character: string): string {
  const simple = known.get(character) ?? simplified(character)
  known.set(character, simple)
  return simple
}

function simplified(character: string): string {
  if (/[‘’‚‛′`]/.test(character)) return "'"
  if (/[“”„‟″«»]/.test(character)) return '"'
  if (/[‐‑‒–—−]/.test(character)) return '-'
  if (/[\s\p{Cf}]/u.test(character)) return ''
  return character.normalize('NFKC').toLowerCase()
}
