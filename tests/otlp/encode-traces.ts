import { WireWriter } from '../../src/lib/otlp/wire-writer.ts'

/** A number is written as an int when it is whole; `{ double: 1 }` writes it as a double all the same. */
export type TestValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | { readonly double: number }
  | { readonly map: Readonly<Record<string, TestValue>> }
  | readonly TestValue[]

export type TestAttributes = Readonly<Record<string, TestValue>>

export interface TestSpan {
  readonly traceId?: Uint8Array
  readonly spanId?: Uint8Array
  readonly parentSpanId?: Uint8Array
  readonly traceState?: string
  readonly name?: string
  readonly kind?: number
  readonly startUnixNano?: bigint
  readonly endUnixNano?: bigint
  readonly attributes?: TestAttributes
  readonly events?: readonly {
    readonly name?: string
    readonly timeUnixNano?: bigint
    readonly attributes?: TestAttributes
  }[]
  readonly links?: readonly {
    readonly traceId?: Uint8Array
    readonly spanId?: Uint8Array
    readonly attributes?: TestAttributes
  }[]
  readonly status?: { readonly code?: number; readonly message?: string }
  /** Encoded fields to append as they are. */
  readonly extra?: Uint8Array
}

export interface TestResourceSpans {
  readonly resource?: TestAttributes
  readonly scopes: readonly {
    readonly name?: string
    readonly version?: string
    readonly spans: readonly TestSpan[]
  }[]
}

/** An ExportTraceServiceRequest in protobuf, for tests and benchmarks. */
export function encodeTraces(request: readonly TestResourceSpans[]): Buffer {
  const writer = new WireWriter()
  for (const { resource, scopes } of request) {
    writer.message(1, () => {
      if (resource) writer.message(1, () => writeAttributes(writer, 1, resource))
      for (const { name, version, spans } of scopes) {
        writer.message(2, () => {
          if (name !== undefined || version !== undefined)
            writer.message(1, () => {
              if (name !== undefined) writer.string(1, name)
              if (version !== undefined) writer.string(2, version)
            })
          for (const span of spans) writer.message(2, () => writeSpan(writer, span))
        })
      }
    })
  }
  return writer.finish()
}

/** The fields of one span, without the field header around them. */
export function encodeSpan(span: TestSpan): Buffer {
  const writer = new WireWriter()
  writeSpan(writer, span)
  return writer.finish()
}

/** A request with one resource and one scope around `spans`. */
export function encodeSpans(...spans: readonly TestSpan[]): Buffer {
  return encodeTraces([{ scopes: [{ spans }] }])
}

/** An id of `length` bytes that is never all zeros and differs for each number. */
export function testId(length: number, number: number): Buffer {
  const id = Buffer.alloc(length, 0xa0)
  id.writeUInt32BE(number, length - 4)
  return id
}

function writeSpan(writer: WireWriter, span: TestSpan): void {
  if (span.traceId) writer.bytes(1, span.traceId)
  if (span.spanId) writer.bytes(2, span.spanId)
  if (span.traceState !== undefined) writer.string(3, span.traceState)
  if (span.parentSpanId) writer.bytes(4, span.parentSpanId)
  if (span.name !== undefined) writer.string(5, span.name)
  if (span.kind !== undefined) writer.varint(6, span.kind)
  if (span.startUnixNano !== undefined) writer.fixed64(7, span.startUnixNano)
  if (span.endUnixNano !== undefined) writer.fixed64(8, span.endUnixNano)
  writeAttributes(writer, 9, span.attributes ?? {})
  for (const event of span.events ?? [])
    writer.message(11, () => {
      if (event.timeUnixNano !== undefined) writer.fixed64(1, event.timeUnixNano)
      if (event.name !== undefined) writer.string(2, event.name)
      writeAttributes(writer, 3, event.attributes ?? {})
    })
  for (const link of span.links ?? [])
    writer.message(13, () => {
      if (link.traceId) writer.bytes(1, link.traceId)
      if (link.spanId) writer.bytes(2, link.spanId)
      writeAttributes(writer, 4, link.attributes ?? {})
    })
  const { status } = span
  if (status)
    writer.message(15, () => {
      if (status.message !== undefined) writer.string(2, status.message)
      if (status.code !== undefined) writer.varint(3, status.code)
    })
  if (span.extra) writer.raw(span.extra)
}

function writeAttributes(writer: WireWriter, field: number, attributes: TestAttributes): void {
  for (const [key, value] of Object.entries(attributes))
    writer.message(field, () => {
      writer.string(1, key)
      writer.message(2, () => writeValue(writer, value))
    })
}

function writeValue(writer: WireWriter, value: TestValue): void {
  if (value === null) return
  if (typeof value === 'string') writer.string(1, value)
  else if (typeof value === 'boolean') writer.bool(2, value)
  else if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))
    writer.varint(3, value)
  else if (typeof value === 'number') writer.double(4, value)
  else if (value instanceof Uint8Array) writer.bytes(7, value)
  else if (isArray(value))
    writer.message(5, () => {
      for (const element of value) writer.message(1, () => writeValue(writer, element))
    })
  else if ('double' in value) writer.double(4, value.double)
  else writer.message(6, () => writeAttributes(writer, 1, value.map))
}

// Array.isArray does not narrow a readonly array.
function isArray(value: TestValue): value is readonly TestValue[] {
  return Array.isArray(value)
}
