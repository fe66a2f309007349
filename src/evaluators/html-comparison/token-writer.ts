import type { Token } from 'parse5'
import { invalidInput } from '../../lib/public-error.ts'
import {
  BLOCK_ELEMENTS,
  CODE_ELEMENTS,
  IMPLIED_ELEMENTS,
  INLINE_BOXES,
  PREFORMATTED_ELEMENTS,
} from './element-kinds.ts'
import { normaliseAttributes } from './normalise-attributes.ts'
import { forEachPiece } from './split-text.ts'
import type { TokenVocabulary } from './token-vocabulary.ts'

/**
 * The most tokens of one input. A page has fewer tokens than characters, so only copies made by the parser (of
 * formatting elements with many attributes) come near.
 */
export const TOKENS_MAX = 8_000_000

/**
 * Collects the tokens of one document and decides which white space is seen.
 *
 * Outside preformatted elements a run of white space is one space, and none at the beginning or the end of a line. A
 * space belongs to the word or inline box that follows it: `<b>a </b>b` and `<b>a</b> b` look the same and are.
 */
export class TokenWriter {
  readonly #vocabulary: TokenVocabulary
  readonly #field: string
  readonly #tokens: number[] = []
  /** The parser gives the copies of an element one attribute list: a long one is read once, not once per copy. */
  readonly #attributeIds = new Map<readonly Token.Attribute[], readonly number[]>()
  #text = ''
  #preformattedDepth = 0
  #codeDepth = 0
  #isAtLineStart = true
  #isSpacePending = false

  constructor(vocabulary: TokenVocabulary, field: string) {
    this.#vocabulary = vocabulary
    this.#field = field
  }

  openElement(tag: string, attributes: readonly Token.Attribute[]): void {
    this.#flushText()
    if (isBox(tag)) this.#writePendingSpace()
    if (isBox(tag) || BLOCK_ELEMENTS.has(tag)) this.#startLine()
    if (PREFORMATTED_ELEMENTS.has(tag)) this.#preformattedDepth += 1
    if (CODE_ELEMENTS.has(tag)) this.#codeDepth += 1
    this.#write(this.#vocabulary.idOf(IMPLIED_ELEMENTS.has(tag) ? 'layout' : 'structure', `<${tag}`))
    if (attributes.length > 0) for (const id of this.#idsOf(tag, attributes)) this.#write(id)
  }

  closeElement(tag: string): void {
    this.#flushText()
    if (isBox(tag) || BLOCK_ELEMENTS.has(tag)) this.#startLine()
    if (isBox(tag)) this.#isAtLineStart = false
    if (PREFORMATTED_ELEMENTS.has(tag)) this.#preformattedDepth -= 1
    if (CODE_ELEMENTS.has(tag)) this.#codeDepth -= 1
    this.#write(this.#vocabulary.idOf(IMPLIED_ELEMENTS.has(tag) ? 'layout' : 'structure', `/${tag}`))
  }

  /** Adds text; texts with no tag between them are one text, though the parser may have made two of it. */
  addText(text: string): void {
    this.#text += text
  }

  finish(): Int32Array {
    this.#flushText()
    return Int32Array.from(this.#tokens)
  }

  #flushText(): void {
    const text = this.#text
    if (text === '') return
    this.#text = ''
    if (this.#codeDepth > 0) this.#writeExactly(text.trim())
    else if (this.#preformattedDepth > 0) {
      this.#writePendingSpace()
      this.#writeExactly(text)
    } else this.#writeCollapsed(text)
  }

  #writeExactly(text: string): void {
    forEachPiece(text, (content, isSpace) =>
      this.#write(this.#vocabulary.idOf(isSpace ? 'layout' : 'text', content)),
    )
  }

  #writeCollapsed(text: string): void {
    forEachPiece(text, (content, isSpace) => {
      if (isSpace) {
        this.#isSpacePending = !this.#isAtLineStart
        return
      }
      this.#writePendingSpace()
      this.#write(this.#vocabulary.idOf('text', content))
    })
  }

  #writePendingSpace(): void {
    if (this.#isSpacePending) this.#write(this.#vocabulary.idOf('layout', ' '))
    this.#isSpacePending = false
    this.#isAtLineStart = false
  }

  #startLine(): void {
    this.#isAtLineStart = true
    this.#isSpacePending = false
  }

  #idsOf(tag: string, attributes: readonly Token.Attribute[]): readonly number[] {
    const known = this.#attributeIds.get(attributes)
    if (known !== undefined) return known
    const ids = normaliseAttributes(attributes).map((entry) =>
      // The tag is part of the token: a class of a paragraph is nothing in common with the same class of a list.
      this.#vocabulary.idOf('attribute', `${tag} ${entry}`),
    )
    this.#attributeIds.set(attributes, ids)
    return ids
  }

  #write(id: number): void {
    this.#tokens.push(id)
    if (this.#tokens.length > TOKENS_MAX) {
      throw invalidInput(`${this.#field} has more than ${TOKENS_MAX} tags, attributes and words`)
    }
  }
}

function isBox(tag: string): boolean {
  return INLINE_BOXES.has(tag) || tag === 'svg svg' || tag === 'math math'
}
