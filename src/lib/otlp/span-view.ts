import { type AttributeKeySet, attributeKey, isKey } from './attribute-key.ts'
import { eventsIn, readSpan } from './read-span.ts'
import { textAt } from './shared-texts.ts'
import type { AttributeSource, Attributes, AttributeValue, Span, SpanEvent } from './span.ts'
import type { ByteRange, ScopeContext } from './span-context.ts'
import { readKeyValue } from './value-reader.ts'

/** Where a span lies in the bytes of its batch, together with the messages around it that hold its resource and scope. */
export interface SpanPlace {
  readonly resourceSpans: ByteRange
  readonly scopeSpans: ByteRange
  readonly span: ByteRange
}

/** The attributes of the spans of a batch: five numbers for each, in the order of the wire. */
export interface AttributeIndex {
  numbers: Int32Array
}

/** Numbers of one entry in an AttributeIndex: hash, start and length of the key, where its value starts and ends. */
export const INDEX_STRIDE = 5

/**
 * A span that is still bytes. A field is decoded when it is asked for, and the batch stays in memory for as long as
 * one of its views does.
 */
export class SpanView {
  readonly context: ScopeContext
  readonly start: number
  readonly end: number
  // Set by the scan. Offsets into the batch, -1 or length 0 where the field is absent.
  traceIdAt = -1
  spanIdAt = -1
  parentIdAt = -1
  nameAt = 0
  nameLength = 0
  startTimeAt = -1
  endTimeAt = -1
  /** 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer; a number unknown today is kept. */
  kind = 0
  /** 0 unset, 1 ok, 2 error; a number unknown today is kept. */
  statusCode = 0
  readonly #index: AttributeIndex
  readonly #firstAttribute: number
  attributeCount = 0
  /** Events that came apart from the span, as logs; a decoded span has them behind its own. */
  contents: readonly SpanEvent[] | undefined = undefined

  constructor(
    context: ScopeContext,
    start: number,
    end: number,
    index: AttributeIndex,
    firstAttribute: number,
  ) {
    this.context = context
    this.start = start
    this.end = end
    this.#index = index
    this.#firstAttribute = firstAttribute
  }

  /** The bytes of the batch that this span is a part of; a view on them, not a copy. */
  get batchBytes(): Buffer {
    return this.context.resource.reader.bytes
  }

  get place(): SpanPlace {
    return {
      resourceSpans: this.context.resource.range,
      scopeSpans: this.context.range,
      span: { start: this.start, end: this.end },
    }
  }

  /** 32 lower-case hex digits. */
  get traceId(): string {
    return this.batchBytes.toString('hex', this.traceIdAt, this.traceIdAt + 16)
  }

  /** 16 lower-case hex digits. */
  get spanId(): string {
    return this.batchBytes.toString('hex', this.spanIdAt, this.spanIdAt + 8)
  }

  /** Undefined for the root of a trace. */
  get parentSpanId(): string | undefined {
    if (this.parentIdAt < 0) return undefined
    return this.batchBytes.toString('hex', this.parentIdAt, this.parentIdAt + 8)
  }

  /** The 16 bytes of the trace id, as a view on the batch. */
  get traceIdBytes(): Buffer {
    return this.batchBytes.subarray(this.traceIdAt, this.traceIdAt + 16)
  }

  /** The 8 bytes of the span id, as a view on the batch. */
  get spanIdBytes(): Buffer {
    return this.batchBytes.subarray(this.spanIdAt, this.spanIdAt + 8)
  }

  get name(): string {
    return textAt(this.context.resource.reader, this.nameAt, this.nameAt + this.nameLength)
  }

  get startUnixNano(): bigint {
    return this.startTimeAt < 0 ? 0n : this.batchBytes.readBigUInt64LE(this.startTimeAt)
  }

  get endUnixNano(): bigint {
    return this.endTimeAt < 0 ? 0n : this.batchBytes.readBigUInt64LE(this.endTimeAt)
  }

  /** The start in whole milliseconds, for indexes, without a bigint. */
  get startUnixMs(): number {
    return wholeMilliseconds(this.batchBytes, this.startTimeAt)
  }

  /** The end in whole milliseconds, for indexes, without a bigint. */
  get endUnixMs(): number {
    return wholeMilliseconds(this.batchBytes, this.endTimeAt)
  }

  /** The attributes of the resource; the same map for every span of one ResourceSpans, so that work on it can be kept. */
  get resource(): Attributes {
    return this.context.resource.attributes
  }

  /** The value of one attribute, the last one where a name is repeated; undefined when there is none. */
  attribute(source: AttributeSource, name: string): AttributeValue | undefined {
    if (source === 'resource_attributes') return this.resource.get(name)
    const key = attributeKey(name)
    const { numbers } = this.#index
    const reader = this.context.resource.reader
    const first = this.#firstAttribute * INDEX_STRIDE
    for (let at = first + (this.attributeCount - 1) * INDEX_STRIDE; at >= first; at -= INDEX_STRIDE) {
      if (numbers[at] !== key.hash) continue
      if (!isKey(key, reader.bytes, numbers[at + 1] as number, numbers[at + 2] as number)) continue
      return readKeyValue(reader, numbers[at + 3] as number, numbers[at + 4] as number)
    }
    return undefined
  }

  /** Calls `visit` for each attribute of the span whose name is in `keys`, in no particular order. */
  visitAttributes(keys: AttributeKeySet, visit: (place: number, value: AttributeValue) => void): void {
    const { numbers } = this.#index
    const reader = this.context.resource.reader
    const first = this.#firstAttribute * INDEX_STRIDE
    keys.startWalk()
    for (let at = first + (this.attributeCount - 1) * INDEX_STRIDE; at >= first; at -= INDEX_STRIDE) {
      const place = keys.find(
        numbers[at] as number,
        reader.bytes,
        numbers[at + 1] as number,
        numbers[at + 2] as number,
      )
      // Backwards, so that the first one met is the last one sent.
      if (place < 0 || !keys.isFirstMet(place)) continue
      visit(place, readKeyValue(reader, numbers[at + 3] as number, numbers[at + 4] as number))
    }
  }

  /**
   * Calls `visit` with the name of each attribute of the span, the last one first; a name that a sender has repeated comes
   * again. A value is decoded only when it is read.
   */
  visitNames(visit: (name: string, readValue: () => AttributeValue) => void): void {
    const { numbers } = this.#index
    const reader = this.context.resource.reader
    const first = this.#firstAttribute * INDEX_STRIDE
    for (let at = first + (this.attributeCount - 1) * INDEX_STRIDE; at >= first; at -= INDEX_STRIDE) {
      const nameAt = numbers[at + 1] as number
      const name = textAt(reader, nameAt, nameAt + (numbers[at + 2] as number))
      visit(name, () => readKeyValue(reader, numbers[at + 3] as number, numbers[at + 4] as number))
    }
  }

  /** The events of the span, each as a message of its own; views on the batch. */
  eventBytes(): Buffer[] {
    return eventsIn(this)
  }

  /** Everything, decoded; it shares nothing with the batch but the resource. */
  toSpan(): Span {
    return readSpan(this)
  }
}

function wholeMilliseconds(bytes: Buffer, at: number): number {
  if (at < 0) return 0
  // In two parts, because 64 bits of nanoseconds do not fit into a number: 2^32 is 4,294 million and 967,296.
  const high = bytes.readUInt32LE(at + 4)
  return high * 4_294 + Math.floor((high * 967_296 + bytes.readUInt32LE(at)) / 1e6)
}
