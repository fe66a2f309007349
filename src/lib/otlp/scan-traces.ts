import { PublicError } from '../public-error.ts'
import { REJECTIONS_KEPT_MAX, SPANS_MAX } from './otlp-limits.ts'
import { type ByteRange, RESOURCE_ATTRIBUTES, ResourceContext, ScopeContext } from './span-context.ts'
import { SpanScan } from './span-scan.ts'
import type { SpanPlace, SpanView } from './span-view.ts'
import { malformed, WireReader } from './wire-reader.ts'

/** A span that was not kept: its place among all spans of the request, counted from 0, and why. */
export interface RejectedSpan {
  readonly index: number
  readonly reason: string
}

/** The spans of one request. */
export interface TraceBatch {
  /** The protobuf form of the request, which every SpanPlace refers to; for a JSON request, what it was turned into. */
  readonly bytes: Buffer
  readonly spans: readonly SpanView[]
  readonly rejectedCount: number
  /** The first few of the rejected spans. */
  readonly rejected: readonly RejectedSpan[]
  /** The places of all rejected spans, ascending; `scanStoredTraces` leaves them out again. */
  readonly rejectedPlaces: readonly number[]
}

/**
 * One pass over an ExportTraceServiceRequest in protobuf. Throws when its framing is broken anywhere, as the official
 * parsers do; a span that is readable but not acceptable is rejected by itself. `knownFaults` are spans, by their
 * place, that the maker of the bytes has rejected already.
 */
export function scanTraces(bytes: Uint8Array, knownFaults?: ReadonlyMap<number, string>): TraceBatch {
  const pass = new TraceScan(bytes, knownFaults)
  pass.request()
  return pass.batch
}

/**
 * The accepted spans of a stored batch, the same ones in the same order as when it arrived: whatever the rules are by now,
 * the spans that were rejected then are left out. An ordinal of a stored span counts in this list.
 */
export function scanStoredTraces(bytes: Uint8Array, rejectedPlaces: readonly number[]): readonly SpanView[] {
  return scanTraces(bytes, new Map(rejectedPlaces.map((place) => [place, 'rejected on arrival']))).spans
}

/** Reads spans of a stored batch again, each by the place that the scan of the same bytes gave it. */
export function readSpans(bytes: Uint8Array, places: Iterable<SpanPlace>): SpanView[] {
  const pass = new TraceScan(bytes)
  return Array.from(places, (place) => pass.spanAt(place))
}

class TraceScan {
  readonly #reader: WireReader
  readonly #scan: SpanScan
  readonly #knownFaults: ReadonlyMap<number, string> | undefined
  readonly batch: {
    bytes: Buffer
    spans: SpanView[]
    rejectedCount: number
    rejected: RejectedSpan[]
    rejectedPlaces: number[]
  }
  #resource: ResourceContext | undefined
  #scope: ScopeContext | undefined

  constructor(bytes: Uint8Array, knownFaults?: ReadonlyMap<number, string>) {
    this.#reader = new WireReader(bytes)
    this.#scan = new SpanScan(this.#reader)
    this.#knownFaults = knownFaults
    const { bytes: buffer } = this.#reader
    this.batch = { bytes: buffer, spans: [], rejectedCount: 0, rejected: [], rejectedPlaces: [] }
  }

  request(): void {
    const end = this.#reader.bytes.length
    this.#blocks(end, 0x0a, (resourceEnd) => {
      const resource = this.#openResource(this.#reader.at, resourceEnd)
      this.#blocks(resourceEnd, 0x12, (scopeEnd) => {
        const scope = this.#openScope(resource, this.#reader.at, scopeEnd)
        this.#blocks(scopeEnd, 0x12, (spanEnd) => this.#span(spanEnd, scope))
      })
    })
  }

  spanAt({ resourceSpans, scopeSpans, span }: SpanPlace): SpanView {
    const { length } = this.#reader.bytes
    if (resourceSpans.end > length || scopeSpans.end > length || span.end > length)
      throw malformed('a span lies outside the batch', length)
    // Spans are mostly asked for in the order they came, so the last context is the only one worth keeping.
    if (this.#resource?.range.start !== resourceSpans.start) {
      this.#resource = this.#openResource(resourceSpans.start, resourceSpans.end)
      this.#scope = undefined
    }
    if (this.#scope?.range.start !== scopeSpans.start)
      this.#scope = this.#openScope(this.#resource, scopeSpans.start, scopeSpans.end)
    this.#reader.at = span.start
    const view = this.#scan.scan(span.end, this.#scope)
    if (typeof view === 'string') throw malformed(view, span.start)
    return view
  }

  #span(end: number, scope: ScopeContext): void {
    const { batch } = this
    const index = batch.spans.length + batch.rejectedCount
    if (index >= SPANS_MAX)
      throw new PublicError('too_large', `request has more than ${SPANS_MAX} spans; send smaller batches`)
    const scanned = this.#scan.scan(end, scope)
    const fault =
      this.#knownFaults?.get(index) ??
      scope.resource.reason ??
      scope.reason ??
      (typeof scanned === 'string' ? scanned : undefined)
    if (fault === undefined && typeof scanned !== 'string') batch.spans.push(scanned)
    else {
      batch.rejectedCount++
      batch.rejectedPlaces.push(index)
      if (batch.rejected.length < REJECTIONS_KEPT_MAX)
        batch.rejected.push({ index, reason: fault ?? 'unknown' })
    }
  }

  /** Looks for the Resource first, because a sender may put it behind the spans. */
  #openResource(start: number, end: number): ResourceContext {
    const { ranges, reason } = this.#open(start, end, RESOURCE_ATTRIBUTES, 'the resource')
    return new ResourceContext(this.#reader, { start, end }, ranges, reason)
  }

  #openScope(resource: ResourceContext, start: number, end: number): ScopeContext {
    const { ranges, reason } = this.#open(start, end, 0x1a, 'the instrumentation scope')
    return new ScopeContext(resource, { start, end }, ranges, reason)
  }

  /** Finds and checks field 1 of the message between `start` and `end`, and leaves the reader at `start`. */
  #open(start: number, end: number, attributesTag: number, what: string) {
    const ranges: ByteRange[] = []
    const { check } = this.#scan
    check.reset()
    this.#reader.at = start
    this.#blocks(end, 0x0a, (blockEnd) => {
      ranges.push({ start: this.#reader.at, end: blockEnd })
      check.holder(blockEnd, attributesTag, what)
    })
    this.#reader.at = start
    return { ranges, reason: check.reason }
  }

  /** Calls `visit` with the end of each field `wanted` of the message that ends at `end`; `visit` reads up to there. */
  #blocks(end: number, wanted: number, visit: (blockEnd: number) => void): void {
    const reader = this.#reader
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag === wanted) visit(reader.block(end))
      else reader.skip(tag, end)
    }
  }
}
