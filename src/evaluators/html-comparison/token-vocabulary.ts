/** The aspect of a document that a token carries; each kind has its share of the score (see compare-tokens.ts). */
export type TokenKind = 'structure' | 'attribute' | 'text' | 'layout'

/**
 * Gives equal tokens of both documents the same number, so that documents are compared as arrays of integers.
 *
 * `layout` tokens make two documents unequal but weigh nothing: white space, and elements that the parser adds.
 */
export class TokenVocabulary {
  readonly #idsByKind = {
    structure: new Map<string, number>(),
    attribute: new Map<string, number>(),
    text: new Map<string, number>(),
    layout: new Map<string, number>(),
  }
  readonly #kinds: TokenKind[] = []
  readonly #contents: string[] = []

  /** How many different tokens there are; their ids are the numbers below. */
  get size(): number {
    return this.#kinds.length
  }

  /** The id of a token, new or known. */
  idOf(kind: TokenKind, content: string): number {
    const ids = this.#idsByKind[kind]
    const known = ids.get(content)
    if (known !== undefined) return known
    const id = this.#kinds.length
    ids.set(content, id)
    this.#kinds.push(kind)
    this.#contents.push(content)
    return id
  }

  kindOf(id: number): TokenKind {
    return this.#kinds[id] as TokenKind
  }

  contentOf(id: number): string {
    return this.#contents[id] as string
  }

  /**
   * How much a token weighs inside its kind. A text weighs its length, so that two words which a deletion between
   * them joins weigh together what they weighed apart; tags and attributes weigh 1.
   */
  weightOf(id: number): number {
    const kind = this.#kinds[id]
    if (kind === 'text') return (this.#contents[id] as string).length
    return kind === 'layout' ? 0 : 1
  }
}
