import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** Field 1 of a request, of a ResourceSpans and of a ScopeSpans, and field 2 of the latter two. */
const FIRST = 0x0a
const SECOND = 0x12

/**
 * A small request with some spans of a stored batch, chosen by their ordinals, in the order in which they came. It shares no
 * memory with the batch, and the spans that are left out are not looked into. Ordinals count the spans that were not
 * rejected on arrival.
 */
export function pickSpans(
  bytes: Uint8Array,
  rejectedPlaces: readonly number[],
  ordinals: ReadonlySet<number>,
): Buffer {
  return new Picker(bytes, new Set(rejectedPlaces), ordinals).pick()
}

class Picker {
  readonly #reader: WireReader
  readonly #writer = new WireWriter()
  readonly #rejected: ReadonlySet<number>
  readonly #ordinals: ReadonlySet<number>
  #place = 0
  #ordinal = 0

  constructor(bytes: Uint8Array, rejected: ReadonlySet<number>, ordinals: ReadonlySet<number>) {
    this.#reader = new WireReader(bytes)
    this.#rejected = rejected
    this.#ordinals = ordinals
  }

  pick(): Buffer {
    this.#each(this.#reader.bytes.length, FIRST, (resourceEnd) => {
      this.#writer.message(1, () =>
        this.#holder(resourceEnd, (scopeEnd) => {
          this.#writer.message(2, () => this.#holder(scopeEnd, (spanEnd) => this.#span(spanEnd)))
        }),
      )
    })
    return this.#writer.finish()
  }

  /** Copies field 1, which describes what field 2 holds, and calls `visit` with the end of each of these. */
  #holder(end: number, visit: (blockEnd: number) => void): void {
    const start = this.#reader.at
    this.#each(end, FIRST, (blockEnd) => this.#copy(1, blockEnd))
    this.#reader.at = start
    this.#each(end, SECOND, visit)
  }

  #span(end: number): void {
    const isWanted = !this.#rejected.has(this.#place++) && this.#ordinals.has(this.#ordinal++)
    if (isWanted) this.#copy(2, end)
    else this.#reader.at = end
  }

  #copy(field: number, end: number): void {
    this.#writer.bytes(field, this.#reader.bytes.subarray(this.#reader.at, end))
    this.#reader.at = end
  }

  #each(end: number, wanted: number, visit: (blockEnd: number) => void): void {
    const reader = this.#reader
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag === wanted) visit(reader.block(end))
      else reader.skip(tag, end)
    }
  }
}
