import { textAt } from './shared-texts.ts'
import type { AttributeValue, Span, SpanEvent } from './span.ts'
import type { SpanView } from './span-view.ts'
import { readAttribute, readAttributes } from './value-reader.ts'
import { WireReader } from './wire-reader.ts'

/** Decodes a span that the scan has accepted. */
export function readSpan(view: SpanView): Span {
  const reader = view.context.resource.reader
  const attributes = new Map<string, AttributeValue>()
  const events: SpanEvent[] = []
  let traceState = ''
  let statusMessage = ''
  reader.at = view.start
  while (reader.at < view.end) {
    const tag = reader.tag(view.end)
    if (tag !== 0x1a && tag !== 0x4a && tag !== 0x5a && tag !== 0x7a) {
      reader.skip(tag, view.end)
      continue
    }
    const end = reader.block(view.end)
    const start = reader.at
    if (tag === 0x4a) readAttribute(reader, start, end, attributes)
    else if (tag === 0x5a) events.push(readEvent(reader, start, end))
    else if (tag === 0x7a) statusMessage = readStatusMessage(reader, end, statusMessage)
    else traceState = textAt(reader, start, end)
    reader.at = end
  }
  const { parentSpanId, context, contents } = view
  if (contents) events.push(...contents)
  return {
    traceId: view.traceId,
    spanId: view.spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    traceState,
    name: view.name,
    kind: view.kind,
    startUnixNano: view.startUnixNano,
    endUnixNano: view.endUnixNano,
    statusCode: view.statusCode,
    statusMessage,
    attributes,
    resource: view.resource,
    scopeName: context.scope.name,
    scopeVersion: context.scope.version,
    events,
  }
}

/** The bytes of the events of a span. */
export function eventsIn({ start, end, context }: SpanView): Buffer[] {
  const { reader } = context.resource
  const events: Buffer[] = []
  reader.at = start
  while (reader.at < end) {
    const tag = reader.tag(end)
    if (tag === 0x5a) {
      const blockEnd = reader.block(end)
      events.push(reader.bytes.subarray(reader.at, blockEnd))
      reader.at = blockEnd
    } else reader.skip(tag, end)
  }
  return events
}

/** Decodes events that are messages of their own. */
export function readEvents(events: readonly Uint8Array[]): SpanEvent[] {
  return events.map((bytes) => readEvent(new WireReader(bytes), 0, bytes.length))
}

function readEvent(reader: WireReader, start: number, end: number): SpanEvent {
  let timeUnixNano = 0n
  let name = ''
  reader.at = start
  while (reader.at < end) {
    const tag = reader.tag(end)
    if (tag === 0x09) timeUnixNano = reader.bytes.readBigUInt64LE(reader.fixed(8, end))
    else if (tag === 0x12) {
      const blockEnd = reader.block(end)
      name = textAt(reader, reader.at, blockEnd)
      reader.at = blockEnd
    } else reader.skip(tag, end)
  }
  return { name, timeUnixNano, attributes: readAttributes(reader, [{ start, end }], 0x1a) }
}

function readStatusMessage(reader: WireReader, end: number, before: string): string {
  let message = before
  while (reader.at < end) {
    const tag = reader.tag(end)
    if (tag === 0x12) {
      const blockEnd = reader.block(end)
      message = textAt(reader, reader.at, blockEnd)
      reader.at = blockEnd
    } else reader.skip(tag, end)
  }
  return message
}
