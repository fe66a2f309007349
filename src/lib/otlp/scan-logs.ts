import { PublicError } from '../public-error.ts'
import { LOG_RECORD, LOGS_REQUEST } from './json-shapes.ts'
import { jsonToProtobuf } from './json-to-protobuf.ts'
import { ATTRIBUTES_MAX, SPANS_MAX } from './otlp-limits.ts'
import type { OtlpEncoding } from './scan-request.ts'
import { textAt } from './shared-texts.ts'
import { ValueCheck } from './value-check.ts'
import { readKey, readKeyValue } from './value-reader.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** A log record that belongs to a span, as an event of that span. */
export interface LogEvent {
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
  /** A `Span.Event` in protobuf. The body of the record is its attribute `body`. */
  readonly event: Uint8Array
}

/** The log records of one request. */
export interface LogBatch {
  readonly events: readonly LogEvent[]
  /** Records that nobody wants: of another name, or without a span. */
  readonly droppedCount: number
  /** Records that are wanted and cannot be kept. */
  readonly rejectedCount: number
  /** Why the first of those cannot be kept. */
  readonly rejection?: string
}

/** Where an older SDK writes the name of an event. */
const NAME_ATTRIBUTE = 'event.name'
const BODY_ATTRIBUTE = 'body'

/** Reads an ExportLogsServiceRequest; throws when its framing is broken anywhere. Records with a wanted name are kept. */
export function scanLogs(
  body: Uint8Array,
  encoding: OtlpEncoding,
  isWanted: (name: string) => boolean,
): LogBatch {
  const bytes = encoding === 'json' ? jsonToProtobuf(body, LOGS_REQUEST, LOG_RECORD).bytes : body
  return new LogScan(bytes, isWanted).request()
}

interface RecordFields {
  traceId: Uint8Array | undefined
  spanId: Uint8Array | undefined
  name: string
  timeUnixNano: bigint
  observedUnixNano: bigint
  attributes: { start: number; end: number }[]
  body: { start: number; end: number } | undefined
}

class LogScan {
  readonly #reader: WireReader
  readonly #check: ValueCheck
  readonly #isWanted: (name: string) => boolean
  readonly #events: LogEvent[] = []
  #droppedCount = 0
  #rejectedCount = 0
  #rejection: string | undefined

  constructor(bytes: Uint8Array, isWanted: (name: string) => boolean) {
    this.#reader = new WireReader(bytes)
    this.#check = new ValueCheck(this.#reader)
    this.#isWanted = isWanted
  }

  request(): LogBatch {
    this.#blocks(this.#reader.bytes.length, 0x0a, (resourceEnd) =>
      this.#blocks(resourceEnd, 0x12, (scopeEnd) =>
        this.#blocks(scopeEnd, 0x12, (recordEnd) => this.#record(recordEnd)),
      ),
    )
    return {
      events: this.#events,
      droppedCount: this.#droppedCount,
      rejectedCount: this.#rejectedCount,
      ...(this.#rejection === undefined ? {} : { rejection: this.#rejection }),
    }
  }

  #record(end: number): void {
    const index = this.#events.length + this.#droppedCount + this.#rejectedCount
    if (index >= SPANS_MAX)
      throw new PublicError(
        'too_large',
        `request has more than ${SPANS_MAX} log records; send smaller batches`,
      )
    this.#check.reset()
    const record = this.#fields(end)
    const name = record.name || this.#nameAmong(record.attributes)
    const { traceId, spanId } = record
    const isOfSpan = isId(traceId, 16) && isId(spanId, 8)
    if (isOfSpan && this.#isWanted(name)) this.#keep(record, name, traceId, spanId, index)
    else this.#droppedCount++
    this.#reader.at = end
  }

  #fields(end: number): RecordFields {
    const reader = this.#reader
    const record: RecordFields = {
      ...{ traceId: undefined, spanId: undefined, name: '', timeUnixNano: 0n, observedUnixNano: 0n },
      ...{ attributes: [], body: undefined },
    }
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag === 0x09) record.timeUnixNano = reader.bytes.readBigUInt64LE(reader.fixed(8, end))
      else if (tag === 0x59) record.observedUnixNano = reader.bytes.readBigUInt64LE(reader.fixed(8, end))
      else if ((tag & 7) !== 2) reader.skip(tag, end)
      else this.#block(tag, reader.block(end), record)
    }
    return record
  }

  #block(tag: number, blockEnd: number, record: RecordFields): void {
    const reader = this.#reader
    const start = reader.at
    if (tag === 0x2a) {
      record.body = { start, end: blockEnd }
      this.#check.value(blockEnd)
    } else if (tag === 0x32) {
      record.attributes.push({ start, end: blockEnd })
      this.#check.keyValue(blockEnd, 0)
    } else if (tag === 0x4a) record.traceId = reader.bytes.subarray(start, blockEnd)
    else if (tag === 0x52) record.spanId = reader.bytes.subarray(start, blockEnd)
    else if (tag === 0x62) record.name = textAt(reader, start, blockEnd)
    reader.at = blockEnd
  }

  #nameAmong(attributes: RecordFields['attributes']): string {
    for (const { start, end } of attributes.toReversed()) {
      if (readKey(this.#reader, start, end) !== NAME_ATTRIBUTE) continue
      const name = readKeyValue(this.#reader, start, end)
      return typeof name === 'string' ? name : ''
    }
    return ''
  }

  #keep(record: RecordFields, name: string, traceId: Uint8Array, spanId: Uint8Array, index: number): void {
    const { attributes } = record
    const reason =
      attributes.length > ATTRIBUTES_MAX
        ? `it has ${attributes.length} attributes, at most ${ATTRIBUTES_MAX} are allowed`
        : this.#check.reason
    if (reason !== undefined) {
      this.#rejectedCount++
      this.#rejection ??= `log record ${index}: ${reason}`
      return
    }
    this.#events.push({
      traceId: new Uint8Array(traceId),
      spanId: new Uint8Array(spanId),
      event: this.#eventOf(record, name),
    })
  }

  #eventOf({ timeUnixNano, observedUnixNano, attributes, body }: RecordFields, name: string): Uint8Array {
    const { bytes } = this.#reader
    const writer = new WireWriter()
    writer.fixed64(1, timeUnixNano || observedUnixNano)
    writer.string(2, name)
    for (const { start, end } of attributes) writer.bytes(3, bytes.subarray(start, end))
    if (body)
      writer.message(3, () => {
        writer.string(1, BODY_ATTRIBUTE)
        writer.bytes(2, bytes.subarray(body.start, body.end))
      })
    return writer.finish()
  }

  #blocks(end: number, wanted: number, visit: (blockEnd: number) => void): void {
    const reader = this.#reader
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag === wanted) visit(reader.block(end))
      else reader.skip(tag, end)
    }
  }
}

function isId(id: Uint8Array | undefined, length: number): id is Uint8Array {
  return id?.length === length && id.some((byte) => byte !== 0)
}
