/** How the fields of a message in OTLP's JSON encoding map to protobuf. */

/** The kind of a field's value: a scalar, an enum given by its names, or another message. */
export type FieldKind =
  | 'string'
  | 'bool'
  | 'int64'
  | 'uint32'
  | 'fixed32'
  | 'fixed64'
  | 'double'
  /** Base64, as protobuf's own JSON encoding has it. */
  | 'bytes'
  /** Hex digits: OTLP departs from base64 for the ids of traces and spans. */
  | 'id'
  | readonly string[]
  | MessageShape

/** One field: its number, what it holds and whether it is a list. */
export interface FieldShape {
  readonly number: number
  readonly kind: FieldKind
  readonly isList: boolean
}

/** The fields of a message, by both their lowerCamelCase and their original name. */
export class MessageShape {
  readonly fields = new Map<string, FieldShape>()

  one(name: string, number: number, kind: FieldKind): this {
    return this.#add(name, { number, kind, isList: false })
  }

  many(name: string, number: number, kind: FieldKind): this {
    return this.#add(name, { number, kind, isList: true })
  }

  #add(name: string, field: FieldShape): this {
    this.fields.set(name, field)
    // Not allowed to senders, but some use them, and neither protobuf's parsers nor the Collector mind.
    this.fields.set(
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      field,
    )
    return this
  }
}

/** The value of an attribute. */
export const ANY_VALUE = new MessageShape()
const KEY_VALUE = new MessageShape().one('key', 1, 'string').one('value', 2, ANY_VALUE)

/** The two messages that let values nest. */
export const ARRAY_VALUE = new MessageShape().many('values', 1, ANY_VALUE)
export const KEY_VALUE_LIST = new MessageShape().many('values', 1, KEY_VALUE)

ANY_VALUE.one('stringValue', 1, 'string')
  .one('boolValue', 2, 'bool')
  .one('intValue', 3, 'int64')
  .one('doubleValue', 4, 'double')
  .one('arrayValue', 5, ARRAY_VALUE)
  .one('kvlistValue', 6, KEY_VALUE_LIST)
  .one('bytesValue', 7, 'bytes')

const EVENT = new MessageShape()
  .one('timeUnixNano', 1, 'fixed64')
  .one('name', 2, 'string')
  .many('attributes', 3, KEY_VALUE)
  .one('droppedAttributesCount', 4, 'uint32')

const LINK = new MessageShape()
  .one('traceId', 1, 'id')
  .one('spanId', 2, 'id')
  .one('traceState', 3, 'string')
  .many('attributes', 4, KEY_VALUE)
  .one('droppedAttributesCount', 5, 'uint32')
  .one('flags', 6, 'fixed32')

const STATUS = new MessageShape()
  .one('message', 2, 'string')
  .one('code', 3, ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'])

const SPAN_KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']

/** A span; a fault in one rejects that one. */
export const SPAN = new MessageShape()
  .one('traceId', 1, 'id')
  .one('spanId', 2, 'id')
  .one('traceState', 3, 'string')
  .one('parentSpanId', 4, 'id')
  .one('name', 5, 'string')
  .one(
    'kind',
    6,
    SPAN_KINDS.map((kind) => `SPAN_KIND_${kind}`),
  )
  .one('startTimeUnixNano', 7, 'fixed64')
  .one('endTimeUnixNano', 8, 'fixed64')
  .many('attributes', 9, KEY_VALUE)
  .one('droppedAttributesCount', 10, 'uint32')
  .many('events', 11, EVENT)
  .one('droppedEventsCount', 12, 'uint32')
  .many('links', 13, LINK)
  .one('droppedLinksCount', 14, 'uint32')
  .one('status', 15, STATUS)
  .one('flags', 16, 'fixed32')

const SCOPE = new MessageShape()
  .one('name', 1, 'string')
  .one('version', 2, 'string')
  .many('attributes', 3, KEY_VALUE)
  .one('droppedAttributesCount', 4, 'uint32')

const SCOPE_SPANS = new MessageShape()
  .one('scope', 1, SCOPE)
  .many('spans', 2, SPAN)
  .one('schemaUrl', 3, 'string')

const RESOURCE = new MessageShape()
  .many('attributes', 1, KEY_VALUE)
  .one('droppedAttributesCount', 2, 'uint32')

const RESOURCE_SPANS = new MessageShape()
  .one('resource', 1, RESOURCE)
  .many('scopeSpans', 2, SCOPE_SPANS)
  .one('schemaUrl', 3, 'string')

/** An ExportTraceServiceRequest. */
export const TRACE_REQUEST = new MessageShape().many('resourceSpans', 1, RESOURCE_SPANS)

/** A log record, of which only these fields are read; a fault in one rejects that one. */
export const LOG_RECORD = new MessageShape()
  .one('timeUnixNano', 1, 'fixed64')
  .one('body', 5, ANY_VALUE)
  .many('attributes', 6, KEY_VALUE)
  .one('traceId', 9, 'id')
  .one('spanId', 10, 'id')
  .one('observedTimeUnixNano', 11, 'fixed64')
  .one('eventName', 12, 'string')

const SCOPE_LOGS = new MessageShape().many('logRecords', 2, LOG_RECORD)
const RESOURCE_LOGS = new MessageShape().many('scopeLogs', 2, SCOPE_LOGS)

/** An ExportLogsServiceRequest. */
export const LOGS_REQUEST = new MessageShape().many('resourceLogs', 1, RESOURCE_LOGS)
