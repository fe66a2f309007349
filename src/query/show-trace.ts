import type { ProjectTenant } from '../domain/tenant.ts'
import type { SpanView } from '../lib/otlp/span-view.ts'
import type { ContentStorage } from '../ports/content-storage.ts'
import type { SpanStorage } from '../ports/span-storage.ts'
import type { TraceStorage } from '../ports/trace-storage.ts'
import { spanPlaces } from './find-traces.ts'
import type { ShownSpan } from './show-spans.ts'
import { type SpanPlace, StoredSpanReader } from './stored-span-reader.ts'

/** Batches of one trace that are read; of a trace that is spread over more, the spans that came first are shown. */
const PLACES_MAX = 5_000
/** Spans that are put in order before others get their turn. */
const SPANS_AT_ONCE = 1_000
/** A page ends when its spans came from so many bytes: what is written in one piece must not hold up others. */
const PAGE_BYTES_MAX = 4_194_304

/** A place between the spans of a trace, in the order of their starts: behind this one. */
export interface TraceSpanPosition {
  readonly startUnixNano: bigint
  readonly spanId: string
}

/** Some spans of a trace, in the order of their starts. */
export interface TraceSpans {
  readonly spans: readonly ShownSpan[]
  /** There are more behind these. */
  readonly next?: TraceSpanPosition
  /** The trace is spread over so many batches that not all of them were read. */
  readonly isCut: boolean
}

type OrderedSpan = SpanPlace & TraceSpanPosition & { readonly byteLength: number }

/** Reads the spans of a trace. All of them are looked at to put them in order, but only those of the page are decoded. */
export async function showTraceSpans(
  storage: TraceStorage & SpanStorage & ContentStorage,
  tenant: ProjectTenant,
  traceId: string,
  range: { readonly after?: TraceSpanPosition; readonly limit: number },
): Promise<TraceSpans> {
  const reader = new StoredSpanReader(storage, tenant, storage)
  const places = await storage.listTracePlaces(tenant, traceId, PLACES_MAX + 1)
  const ordered = await inOrder(reader, spanPlaces(places.slice(0, PLACES_MAX)))
  const { after } = range
  const behind = after ? ordered.filter((span) => compare(span, after) > 0) : ordered
  const page = cutPage(behind, range.limit)
  const spans: ShownSpan[] = []
  await reader.each(page, (_, found) => {
    if (found) spans.push({ span: found.view.toSpan(), envProjectId: found.envProjectId })
    return true
  })
  const last = page.at(-1)
  return {
    spans,
    ...(last && page.length < behind.length
      ? { next: { startUnixNano: last.startUnixNano, spanId: last.spanId } }
      : {}),
    isCut: places.length > PLACES_MAX,
  }
}

/**
 * The span of each trace that has no parent, or else the one that began first, in the order of the traces. A trace whose
 * spans are gone is left out.
 */
export async function showRootSpans(
  storage: TraceStorage & SpanStorage & ContentStorage,
  tenant: ProjectTenant,
  traceIds: readonly string[],
): Promise<ShownSpan[]> {
  const reader = new StoredSpanReader(storage, tenant, storage)
  const roots: ShownSpan[] = []
  let bytes = 0
  for (const traceId of traceIds) {
    const places = spanPlaces(await storage.listTracePlaces(tenant, traceId, PLACES_MAX))
    const [root] = await inOrder(reader, places, isRoot)
    const [first] = root ? [root] : await inOrder(reader, places)
    if (!first) continue
    await reader.each([first], (_, found) => {
      if (found) roots.push({ span: found.view.toSpan(), envProjectId: found.envProjectId })
      return true
    })
    bytes += first.byteLength
    if (bytes >= PAGE_BYTES_MAX) break
  }
  return roots
}

function isRoot({ parentIdAt }: SpanView): boolean {
  return parentIdAt < 0
}

async function inOrder(
  reader: StoredSpanReader,
  places: readonly SpanPlace[],
  isWanted: (view: SpanView) => boolean = () => true,
): Promise<OrderedSpan[]> {
  const spans: OrderedSpan[] = []
  for (let at = 0; at < places.length; at += SPANS_AT_ONCE) {
    await reader.each(places.slice(at, at + SPANS_AT_ONCE), (place, found) => {
      if (found && isWanted(found.view)) {
        const { startUnixNano, spanId, start, end } = found.view
        spans.push({ ...place, startUnixNano, spanId, byteLength: end - start })
      }
      return true
    })
  }
  return spans.sort(compare)
}

function compare(left: TraceSpanPosition, right: TraceSpanPosition): number {
  if (left.startUnixNano !== right.startUnixNano) return left.startUnixNano < right.startUnixNano ? -1 : 1
  return left.spanId < right.spanId ? -1 : Number(left.spanId > right.spanId)
}

/** As many as are asked for, and fewer where they are large; one at least. */
function cutPage(spans: readonly OrderedSpan[], limit: number): readonly OrderedSpan[] {
  let bytes = 0
  let count = 0
  while (count < Math.min(limit, spans.length) && bytes < PAGE_BYTES_MAX) {
    bytes += spans[count]?.byteLength ?? 0
    count++
  }
  return spans.slice(0, count)
}
