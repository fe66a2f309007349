import { ATTRIBUTES_MAX, VALUE_DEPTH_MAX } from './otlp-limits.ts'
import type { WireReader } from './wire-reader.ts'

/**
 * Walks over attributes without decoding them: a body whose framing is broken anywhere is refused as a whole, as the
 * official parsers do, although no value is read until it is asked for.
 */
export class ValueCheck {
  readonly #reader: WireReader
  /** Why the message walked over since `reset` cannot be kept, although its framing is sound. */
  reason: string | undefined
  /** Where the key of the last KeyValue is, and its length. */
  keyAt = 0
  keyLength = 0

  constructor(reader: WireReader) {
    this.#reader = reader
  }

  reset(): void {
    this.reason = undefined
  }

  /** Walks over the KeyValue that ends at `end` and leaves the place of its key. */
  keyValue(end: number, depth: number): void {
    const reader = this.#reader
    let keyAt = reader.at
    let keyLength = 0
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag === 0x0a) {
        const blockEnd = reader.block(end)
        keyAt = reader.at
        keyLength = blockEnd - keyAt
        reader.at = blockEnd
      } else if (tag === 0x12) this.#anyValue(reader.block(end), depth)
      else reader.skip(tag, end)
    }
    this.keyAt = keyAt
    this.keyLength = keyLength
  }

  /** Walks over a message that ends at `end` and of which only the attributes, field `attributesTag`, have a structure. */
  holder(end: number, attributesTag: number, what: string): void {
    const reader = this.#reader
    let count = 0
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag === attributesTag) {
        this.keyValue(reader.block(end), 0)
        count++
      } else reader.skip(tag, end)
    }
    if (count > ATTRIBUTES_MAX)
      this.reason ??= `${what} has ${count} attributes, at most ${ATTRIBUTES_MAX} are allowed`
  }

  /** Walks over an AnyValue that ends at `end`. */
  value(end: number): void {
    this.#anyValue(end, 0)
  }

  #anyValue(end: number, depth: number): void {
    const reader = this.#reader
    while (reader.at < end) {
      const tag = reader.tag(end)
      switch (tag) {
        case 0x0a:
        case 0x3a:
          reader.at = reader.block(end)
          break
        case 0x2a:
        case 0x32:
          this.#nested(reader.block(end), depth + 1, tag === 0x32)
          break
        default:
          reader.skip(tag, end)
      }
    }
  }

  /** An ArrayValue or a KeyValueList: both hold their elements in field 1. */
  #nested(end: number, depth: number, isMap: boolean): void {
    const reader = this.#reader
    if (depth > VALUE_DEPTH_MAX) {
      this.reason ??= `an attribute is nested deeper than ${VALUE_DEPTH_MAX} levels`
      reader.at = end
      return
    }
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag !== 0x0a) reader.skip(tag, end)
      else if (isMap) this.keyValue(reader.block(end), depth)
      else this.#anyValue(reader.block(end), depth)
    }
  }
}
