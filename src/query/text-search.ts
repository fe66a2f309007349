import { spanFields } from '../domain/span-fields/span-fields.ts'
import type { SpanView } from '../lib/otlp/span-view.ts'
import { type Snippet, snippetOf } from './snippet.ts'

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

  /** The first text of the span that contains it, around that place: of its prompt, its completion, then its other messages. */
  find(view: SpanView): Snippet | undefined {
    if (!this.#canBeIn(view)) return undefined
    const fields = spanFields(view.toSpan())
    const texts = [
      ...[fields.get('prompt'), fields.get('completion')],
      ...(fields.get('messages') ?? []).map(({ content }) => content),
      fields.get('system_prompt'),
    ]
    for (const text of texts) {
      const snippet = text === undefined ? undefined : snippetOf(text, this.#needle)
      if (snippet) return snippet
    }
    return undefined
  }

  #canBeIn({ batchBytes, start, end }: SpanView): boolean {
    if (this.#letters === '') return true
    const bytes = batchBytes.toString('latin1', start, end).toLowerCase()
    return bytes.includes(this.#letters) || bytes.includes(ESCAPE)
  }
}
