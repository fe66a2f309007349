import { hashBytes } from './attribute-key.ts'
import { ATTRIBUTES_MAX, EVENTS_MAX, SPAN_BYTES_MAX } from './otlp-limits.ts'
import { simpleKeyLength } from './simple-key-value.ts'
import type { ScopeContext } from './span-context.ts'
import { type AttributeIndex, INDEX_STRIDE, SpanView } from './span-view.ts'
import { ValueCheck } from './value-check.ts'
import type { WireReader } from './wire-reader.ts'

/** Room for attributes that a scan starts with, guessed from the size of a batch; it grows when that is too little. */
const FIRST_ATTRIBUTES_MAX = 16_384
const BYTES_PER_ATTRIBUTE = 64

/** Finds the fields of one span after another and indexes their attributes. */
export class SpanScan {
  readonly reader: WireReader
  readonly check: ValueCheck
  readonly #index: AttributeIndex
  #indexed = 0
  #traceIdLength = 0
  #spanIdLength = 0
  #parentIdLength = 0
  #events = 0

  constructor(reader: WireReader) {
    this.reader = reader
    this.check = new ValueCheck(reader)
    const room = Math.min(FIRST_ATTRIBUTES_MAX, 8 + Math.trunc(reader.bytes.length / BYTES_PER_ATTRIBUTE))
    this.#index = { numbers: new Int32Array(room * INDEX_STRIDE) }
  }

  /** The span that lies between the reader's place and `end`, or the reason why it cannot be kept. */
  scan(end: number, context: ScopeContext): SpanView | string {
    const { reader } = this
    const firstAttribute = this.#indexed
    const view = new SpanView(context, reader.at, end, this.#index, firstAttribute)
    this.check.reset()
    this.#traceIdLength = 0
    this.#spanIdLength = 0
    this.#parentIdLength = 0
    this.#events = 0
    while (reader.at < end) this.#field(view, end)
    view.attributeCount = this.#indexed - firstAttribute
    const reason = this.#fault(view)
    if (reason === undefined) return view
    this.#indexed = firstAttribute
    return reason
  }

  #field(view: SpanView, end: number): void {
    const { reader } = this
    const tag = reader.tag(end)
    switch (tag) {
      case 0x4a: // attributes
        this.#attribute(reader.block(end))
        return
      case 0x0a: {
        const blockEnd = reader.block(end)
        view.traceIdAt = reader.at
        this.#traceIdLength = blockEnd - reader.at
        reader.at = blockEnd
        return
      }
      case 0x12: {
        const blockEnd = reader.block(end)
        view.spanIdAt = reader.at
        this.#spanIdLength = blockEnd - reader.at
        reader.at = blockEnd
        return
      }
      case 0x22: {
        const blockEnd = reader.block(end)
        view.parentIdAt = reader.at
        this.#parentIdLength = blockEnd - reader.at
        reader.at = blockEnd
        return
      }
      case 0x2a: {
        const blockEnd = reader.block(end)
        view.nameAt = reader.at
        view.nameLength = blockEnd - reader.at
        reader.at = blockEnd
        return
      }
      case 0x30:
        view.kind = reader.int32(end)
        return
      case 0x39:
        view.startTimeAt = reader.fixed(8, end)
        return
      case 0x41:
        view.endTimeAt = reader.fixed(8, end)
        return
      case 0x5a: // events
        this.#events++
        this.check.holder(reader.block(end), 0x1a, 'an event')
        return
      case 0x6a: // links
        this.check.holder(reader.block(end), 0x22, 'a link')
        return
      case 0x7a:
        this.#status(view, reader.block(end))
        return
      default:
        reader.skip(tag, end)
    }
  }

  #attribute(end: number): void {
    const { reader } = this
    const { bytes, at: start } = reader
    let keyAt = start + 2
    let keyLength = simpleKeyLength(bytes, start, end)
    // Where the value is looked for: behind the key when nothing else is before or between them.
    let valueFrom = keyAt + keyLength
    if (keyLength >= 0) reader.at = end
    else {
      this.check.keyValue(end, 0)
      keyAt = this.check.keyAt
      keyLength = this.check.keyLength
      valueFrom = start
    }
    const numbers = this.#roomForAttribute()
    const at = this.#indexed++ * INDEX_STRIDE
    numbers[at] = hashBytes(reader.view, keyAt, keyAt + keyLength)
    numbers[at + 1] = keyAt
    numbers[at + 2] = keyLength
    numbers[at + 3] = valueFrom
    numbers[at + 4] = end
  }

  #roomForAttribute(): Int32Array {
    const index = this.#index
    if ((this.#indexed + 1) * INDEX_STRIDE > index.numbers.length) {
      const larger = new Int32Array(index.numbers.length * 2)
      larger.set(index.numbers)
      index.numbers = larger
    }
    return index.numbers
  }

  #status(view: SpanView, end: number): void {
    const { reader } = this
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag === 0x18) view.statusCode = reader.int32(end)
      else reader.skip(tag, end)
    }
  }

  /** Times are not checked: clocks drift, so a span that ends before it starts, or has no time, is kept as it is. */
  #fault(view: SpanView): string | undefined {
    const { bytes } = this.reader
    if (this.check.reason !== undefined) return this.check.reason
    if (this.#traceIdLength !== 16) return `trace id is ${this.#traceIdLength} bytes long, not 16`
    if (isZero(bytes, view.traceIdAt, 16)) return 'trace id is all zeros'
    if (this.#spanIdLength !== 8) return `span id is ${this.#spanIdLength} bytes long, not 8`
    if (isZero(bytes, view.spanIdAt, 8)) return 'span id is all zeros'
    if (this.#parentIdLength !== 0 && this.#parentIdLength !== 8)
      return `parent span id is ${this.#parentIdLength} bytes long, not 8`
    // Some senders write zeros for "no parent".
    if (this.#parentIdLength === 0 || isZero(bytes, view.parentIdAt, 8)) view.parentIdAt = -1
    if (view.end - view.start > SPAN_BYTES_MAX)
      return `span is ${view.end - view.start} bytes long, at most ${SPAN_BYTES_MAX} are allowed`
    if (view.attributeCount > ATTRIBUTES_MAX)
      return `span has ${view.attributeCount} attributes, at most ${ATTRIBUTES_MAX} are allowed`
    if (this.#events > EVENTS_MAX) return `span has ${this.#events} events, at most ${EVENTS_MAX} are allowed`
    return undefined
  }
}

function isZero(bytes: Buffer, at: number, length: number): boolean {
  for (let byte = at; byte < at + length; byte++) if (bytes[byte] !== 0) return false
  return true
}
