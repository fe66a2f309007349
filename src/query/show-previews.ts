import { setImmediate } from 'node:timers/promises'
import { type Preview, previewOf } from '../domain/preview.ts'
import { spanFields } from '../domain/span-fields/span-fields.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { tellsWhole } from '../domain/trace-fields/step.ts'
import { traceFields } from '../domain/trace-fields/trace-fields.ts'
import { attachContents, idsOfSpans } from '../lib/otlp/attach-contents.ts'
import type { Span } from '../lib/otlp/span.ts'
import type { SpanView } from '../lib/otlp/span-view.ts'
import { unpackSomeSpans } from '../lib/otlp/stored-spans.ts'
import type { ContentStorage } from '../ports/content-storage.ts'
import type { SpanStorage } from '../ports/span-storage.ts'
import type { TraceStorage } from '../ports/trace-storage.ts'
import { spanPlaces } from './find-traces.ts'
import type { SpanPlace } from './stored-span-reader.ts'

/** Bytes that are unpacked for the previews of one page; units behind these have none. */
export const PREVIEW_BYTES_MAX = 67_108_864
/** Spans that are decoded for the previews of one page. */
const PAGE_SPANS_MAX = 3_000
/** Spans of one trace that are decoded: the first and the last ones of a longer trace. */
const TRACE_SPANS_MAX = 60
/** Batches of one trace that are found, and that are read of it: the first and the last ones. */
const FOUND_PLACES_MAX = 1_000
const READ_PLACES_MAX = 50
/** Calls of the store that are made at once, and batches that are asked for with one. */
const AT_ONCE = 8

/** The subject of a preview: one span, or a whole trace. */
export type PreviewUnit = SpanPlace | { readonly traceId: string }

/** The parts of a store that hold spans. */
export type PreviewSource = SpanStorage & TraceStorage & ContentStorage

/**
 * The previews of units, in their order. Each batch is read once and only the wanted spans are looked at. A unit has an empty
 * preview when its spans say nothing, are no longer kept, or lie behind as many bytes as one page may read.
 */
export async function showPreviews(
  storage: PreviewSource,
  tenant: ProjectTenant,
  units: readonly PreviewUnit[],
): Promise<Preview[]> {
  const places = await inTurns(units, (unit) => placesOf(storage, tenant, unit))
  const reader = new PreviewReader(storage, tenant)
  const views = await reader.find(places)
  // The spans that tell most units, so that the store is asked once for what came apart from them.
  await reader.addContents(
    views.flatMap((found = []) => (found.length === 1 ? found : (rootOf(found) ?? []))),
  )
  const previews: Preview[] = []
  for (const [at, unit] of units.entries()) {
    const found = views[at] ?? []
    previews.push('traceId' in unit ? await reader.previewTrace(found) : await reader.previewSpan(found))
    await setImmediate()
  }
  return previews
}

/** The root of a trace; undefined where it has none, or several. */
function rootOf(views: readonly SpanView[]): SpanView | undefined {
  const roots = views.filter(({ parentIdAt }) => parentIdAt < 0)
  return roots.length === 1 ? roots[0] : undefined
}

/** The places of the spans of a unit. A long trace is read at its beginning and at its end, where its root often comes. */
async function placesOf(
  storage: TraceStorage,
  tenant: ProjectTenant,
  unit: PreviewUnit,
): Promise<readonly SpanPlace[]> {
  if (!('traceId' in unit)) return [unit]
  return spanPlaces(
    bothEnds(await storage.listTracePlaces(tenant, unit.traceId, FOUND_PLACES_MAX), READ_PLACES_MAX),
  )
}

function bothEnds<Item>(items: readonly Item[], max: number): readonly Item[] {
  return items.length <= max ? items : [...items.slice(0, max / 2), ...items.slice(-max / 2)]
}

/** Does the work for all items, a few at once; the results have their order. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))))
  return results
}

class PreviewReader {
  readonly #storage: PreviewSource
  readonly #tenant: ProjectTenant
  readonly #complete = new Set<SpanView>()
  #spans = 0

  constructor(storage: PreviewSource, tenant: ProjectTenant) {
    this.#storage = storage
    this.#tenant = tenant
  }

  /** The spans at these places; undefined for a list that is not complete. */
  async find(places: readonly (readonly SpanPlace[])[]): Promise<(SpanView[] | undefined)[]> {
    const wanted = new Map<number, Set<number>>()
    for (const { batchId, ordinal } of places.flat()) {
      const ordinals = wanted.get(batchId) ?? new Set()
      wanted.set(batchId, ordinals.add(ordinal))
    }
    const read = await this.#readBatches(wanted)
    return places.map((list) => {
      if (list.some(({ batchId }) => !read.has(batchId))) return undefined
      return list.flatMap(({ batchId, ordinal }) => read.get(batchId)?.get(ordinal) ?? [])
    })
  }

  /** Batches in the order in which they are wanted first, until the page has read its share. */
  async #readBatches(
    wanted: ReadonlyMap<number, ReadonlySet<number>>,
  ): Promise<ReadonlyMap<number, ReadonlyMap<number, SpanView>>> {
    const read = new Map<number, ReadonlyMap<number, SpanView>>()
    const ids = [...wanted.keys()]
    let bytes = 0
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const some = ids.slice(at, at + AT_ONCE)
      const batches = new Map(
        (await this.#storage.readBatches(this.#tenant, some)).map((batch) => [batch.batchId, batch]),
      )
      for (const id of some) {
        const batch = batches.get(id)
        bytes += batch?.byteLength ?? 0
        if (bytes > PREVIEW_BYTES_MAX) return read
        read.set(id, batch ? await unpackSomeSpans(batch, wanted.get(id) ?? new Set()) : new Map())
      }
    }
    return read
  }

  async previewSpan(views: readonly SpanView[]): Promise<Preview> {
    const [span] = await this.#decode(views)
    return span ? previewOf(spanFields(span), [span]) : {}
  }

  /** The root alone tells most traces; where it does not, the conversation is put together from the spans. */
  async previewTrace(views: readonly SpanView[]): Promise<Preview> {
    const root = rootOf(views)
    const [first] = root ? await this.#decode([root]) : []
    if (first && tellsWhole(first)) return previewOf(spanFields(first), [first])
    const ordered = views.toSorted((left, right) => left.startUnixMs - right.startUnixMs)
    const chosen = new Set([...(root ? [root] : []), ...bothEnds(ordered, TRACE_SPANS_MAX)])
    const spans = await this.#decode([...chosen])
    const fields = traceFields(spans)
    return fields ? previewOf(fields, spans) : {}
  }

  /** Gives spans the events that came as logs, each once. */
  async addContents(views: readonly SpanView[]): Promise<void> {
    const bare = views.filter((view) => !this.#complete.has(view))
    if (bare.length === 0) return
    attachContents(bare, await this.#storage.readContents(this.#tenant, idsOfSpans(bare)))
    for (const view of bare) this.#complete.add(view)
  }

  async #decode(views: readonly SpanView[]): Promise<Span[]> {
    if (this.#spans + views.length > PAGE_SPANS_MAX) return []
    this.#spans += views.length
    await this.addContents(views)
    return views.map((view) => view.toSpan())
  }
}
