import { zstdDecompressSync } from 'node:zlib'
import { readEvents } from './read-span.ts'
import type { SpanEvent } from './span.ts'
import type { SpanView } from './span-view.ts'

/** An event of a span that is stored apart from it. */
export interface PackedEvent {
  readonly traceId: string
  readonly spanId: string
  /** A `Span.Event` in protobuf, compressed with zstd. */
  readonly bytes: Uint8Array
  /** Length before compression. */
  readonly byteLength: number
}

/** Gives spans the events that came apart from them, in the order of their times. */
export function attachContents(spans: Iterable<SpanView>, contents: readonly PackedEvent[]): void {
  if (contents.length === 0) return
  const ofSpans = Map.groupBy(contents, ({ traceId, spanId }) => `${traceId} ${spanId}`)
  for (const span of spans) {
    const own = ofSpans.get(`${span.traceId} ${span.spanId}`)
    if (own) span.contents = readContents(own)
  }
}

function readContents(contents: readonly PackedEvent[]): SpanEvent[] {
  const messages = contents.map(({ bytes, byteLength }) =>
    zstdDecompressSync(bytes, { maxOutputLength: byteLength }),
  )
  return readEvents(messages).sort((left, right) => Number(left.timeUnixNano - right.timeUnixNano))
}

/** The ids of spans, as plain values that can be handed to another thread. */
export function idsOfSpans(spans: readonly SpanView[]): { traceId: string; spanId: string }[] {
  return spans.map(({ traceId, spanId }) => ({ traceId, spanId }))
}
