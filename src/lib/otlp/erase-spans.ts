import { WireReader } from './wire-reader.ts'

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8
/** Tag, length and bytes of both ids. */
const IDS_BYTES = 2 + TRACE_ID_BYTES + 2 + SPAN_ID_BYTES
/** The tag of a field of bytes that no message of OTLP has, in two bytes: number 1000. */
const FILLER_TAG = [0xc2, 0x3e] as const
/** A length can be written with more bytes than it needs; with five, every filler from seven bytes on can be made. */
const LENGTH_BYTES = 5
/** `dropped_attributes_count`: a number without a reader, for gaps that are too short for the filler. */
const SHORT_TAG = 0x50

/** A span as far as erasing has to know it. */
export interface ErasedSpan {
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
}

/**
 * A copy of a stored batch without the content of some of its spans. Only the ids of such a span are left, in exactly as
 * many bytes as before: every other byte stays where it was, so that ordinals and places go on to be valid. Spans that
 * were rejected on arrival are emptied, too, because they cannot be read; and so are the resource and the scope of spans
 * of which none is left. `erased` holds spans by their ordinal.
 */
export function eraseSpans(
  bytes: Uint8Array,
  rejectedPlaces: readonly number[],
  erased: ReadonlyMap<number, ErasedSpan>,
): Buffer {
  const eraser = new Eraser(Buffer.from(bytes), new Set(rejectedPlaces), erased)
  eraser.request()
  return eraser.bytes
}

class Eraser {
  readonly bytes: Buffer
  readonly #reader: WireReader
  readonly #rejected: ReadonlySet<number>
  readonly #erased: ReadonlyMap<number, ErasedSpan>
  #place = 0
  #ordinal = 0

  constructor(bytes: Buffer, rejected: ReadonlySet<number>, erased: ReadonlyMap<number, ErasedSpan>) {
    this.bytes = bytes
    this.#reader = new WireReader(bytes)
    this.#rejected = rejected
    this.#erased = erased
  }

  request(): void {
    this.#each(this.bytes.length, (tag, start, end) => {
      if (tag === 0x0a) this.#holder(start, end, (from, to) => this.#holder(from, to, this.#span))
    })
  }

  /** A ResourceSpans or a ScopeSpans; field 1 describes what field 2 holds. False when nothing that can be read is left. */
  #holder(start: number, end: number, visit: (start: number, end: number) => boolean): boolean {
    const descriptions: [start: number, end: number][] = []
    let isLeft = false
    this.#reader.at = start
    this.#each(end, (tag, from, to) => {
      if (tag === 0x0a) descriptions.push([from, to])
      else if (tag === 0x12 && visit(from, to)) isLeft = true
    })
    if (!isLeft) for (const [from, to] of descriptions) this.#fill(from, to)
    return isLeft
  }

  #span = (start: number, end: number): boolean => {
    if (this.#rejected.has(this.#place++)) {
      this.#fill(start, end)
      return false
    }
    const span = this.#erased.get(this.#ordinal++)
    if (!span) return true
    this.bytes.fill(0, start, end)
    let at = start
    // A single byte more than the ids cannot be a field of its own, but the length of an id can have it.
    const isOdd = end - start === IDS_BYTES + 1
    at += this.#write(at, isOdd ? [0x0a, 0x80 | TRACE_ID_BYTES, 0x00] : [0x0a, TRACE_ID_BYTES])
    at += this.#write(at, span.traceId)
    at += this.#write(at, [0x12, SPAN_ID_BYTES])
    at += this.#write(at, span.spanId)
    this.#fill(at, end)
    return false
  }

  #write(at: number, values: ArrayLike<number>): number {
    this.bytes.set(values, at)
    return values.length
  }

  /** Makes one field that means nothing of all bytes of a range, or none of an empty one. */
  #fill(start: number, end: number): void {
    const size = end - start
    this.bytes.fill(0, start, end)
    if (size === 0) return
    if (size < FILLER_TAG.length + LENGTH_BYTES) {
      this.bytes[start] = SHORT_TAG
      this.bytes.fill(0x80, start + 1, end - 1)
      return
    }
    const at = start + this.#write(start, FILLER_TAG)
    const length = size - FILLER_TAG.length - LENGTH_BYTES
    for (let byte = 0; byte < LENGTH_BYTES; byte++) {
      const more = byte < LENGTH_BYTES - 1 ? 0x80 : 0
      this.bytes[at + byte] = ((length >>> (7 * byte)) & 0x7f) | more
    }
  }

  /** Calls `visit` with each field of bytes up to `end`; the reader is behind the field afterwards. */
  #each(end: number, visit: (tag: number, start: number, end: number) => void): void {
    const reader = this.#reader
    while (reader.at < end) {
      const tag = reader.tag(end)
      if ((tag & 7) !== 2) {
        reader.skip(tag, end)
        continue
      }
      const blockEnd = reader.block(end)
      visit(tag, reader.at, blockEnd)
      reader.at = blockEnd
    }
  }
}
