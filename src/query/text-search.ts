import { spanFields } from '../domain/span-fields/span-fields.ts'
import type { SpanView } from '../lib/otlp/span-view.ts'

/** The escape that a JSON text may use instead of a plain letter. */
const ESCAPE = '\\u00'

/**
 * Looks for a text in what was said to models and what they said, in upper or lower case. Reading a span's messages takes a
 * hundred times longer than looking through its bytes, so spans that cannot contain the text are told by their bytes: the
 * longest run of plain letters in it must be there, because no dialect writes those in any other way.
 */
export class TextSearch {
  readonly #needle: string
  readonly #letters: string

  constructor(text: string) {
    this.#needle = text.toLowerCase()
    const runs = this.#needle.match(/[a-z]+/g) ?? []
    this.#letters = runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '')
  }

  /** Whether a prompt or a completion of the span contains the text. */
  isIn(view: SpanView): boolean {
    if (!this.#canBeIn(view)) return false
    const fields = spanFields(view.toSpan())
    const texts = [
      ...(fields.get('messages') ?? []).map(({ content }) => content),
      ...[fields.get('system_prompt'), fields.get('prompt'), fields.get('completion')],
    ]
    return texts.some((text) => text?.toLowerCase().includes(this.#needle))
  }

  #canBeIn({ batchBytes, start, end }: SpanView): boolean {
    if (this.#letters === '') return true
    const bytes = batchBytes.toString('latin1', start, end).toLowerCase()
    return bytes.includes(this.#letters) || bytes.includes(ESCAPE)
  }
}
