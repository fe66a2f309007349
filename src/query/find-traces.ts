import { type Condition, holds, type LogicalOperator } from '../domain/condition.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { listUnits } from '../domain/unit-set.ts'
import type { ContentStorage } from '../ports/content-storage.ts'
import type { SpanStorage } from '../ports/span-storage.ts'
import type {
  StoredTrace,
  TraceFilter,
  TracePage,
  TracePosition,
  TraceStorage,
} from '../ports/trace-storage.ts'
import { fieldTexts } from './show-spans.ts'
import type { Snippet } from './snippet.ts'
import { type SpanPlace, StoredSpanReader, UNPACKED_BYTES_MAX } from './stored-span-reader.ts'
import { TextSearch } from './text-search.ts'

/** Looking for what only spans can tell ends a page after so many of them, or traces, or bytes that were unpacked for it. */
const EXAMINED_SPANS_MAX = 5_000
const EXAMINED_TRACES_MAX = 1_000
/** Traces that are asked for at a time while spans are looked at. */
const TRACES_AT_ONCE = 50
/** Batches of one trace that are looked at; a trace that is spread over more is looked at as far as these go. */
const PLACES_MAX = 10_000
/** Spans that are looked at before others get their turn. */
const SPANS_AT_ONCE = 200

/** Which traces are wanted: by what is known of them, and by what their spans say. */
export interface TraceQuery {
  readonly filter: TraceFilter
  /** One span of the trace must meet them. */
  readonly conditions: readonly Condition[]
  readonly logic: LogicalOperator
  /** Conditions that the same span must meet whatever the logic of the others. */
  readonly required: readonly Condition[]
  /** A prompt or a completion of some span must contain it, in upper or lower case. */
  readonly text?: string
  /** Absent: the newest first. */
  readonly order?: 'newest' | 'oldest'
  readonly after?: TracePosition
  readonly limit: number
}

/** Where it looks. */
export type TraceSource = TraceStorage & SpanStorage & ContentStorage

/** The place where the text of a query was found first in a trace. */
export interface TraceSnippet extends Snippet {
  readonly spanId: string
}

/** A page of traces that were looked for. */
export interface FoundTraces extends TracePage {
  /** By trace id; none where no text was looked for. */
  readonly snippets: ReadonlyMap<string, TraceSnippet>
}

/**
 * A page of traces, in order of their starts. Filters on sums are looked up in the store; attributes and texts are in the
 * spans alone, so these are read, and only so many for one page: it may be short, or empty, and still have a `next`.
 */
export async function findTraces(
  storage: TraceSource,
  tenant: ProjectTenant,
  query: TraceQuery,
): Promise<FoundTraces> {
  const { filter, limit } = query
  const order = query.order ?? 'newest'
  const from = (after: TracePosition | undefined) => (after === undefined ? {} : { after })
  const looker = new SpanLooker(storage, tenant, query)
  const { snippets } = looker
  if (isTold(query))
    return { ...(await storage.listTraces(tenant, filter, { order, limit, ...from(query.after) })), snippets }
  const traces: StoredTrace[] = []
  let { after } = query
  for (;;) {
    const page = await storage.listTraces(tenant, filter, { order, limit: TRACES_AT_ONCE, ...from(after) })
    for (const trace of page.traces) {
      if (await looker.accepts(trace)) traces.push(trace)
      after = { firstMs: trace.firstMs, traceId: trace.traceId }
      if (traces.length >= limit || looker.isTired) return { traces, snippets, next: after }
    }
    if (!page.next) return { traces, snippets }
    after = page.next
    // The store has looked at as many as it does for one page, and so ends this one.
    if (page.traces.length < TRACES_AT_ONCE) return { traces, snippets, next: after }
  }
}

function isTold({ conditions, required, text }: TraceQuery): boolean {
  return conditions.length === 0 && required.length === 0 && text === undefined
}

/** Looks into the spans of one trace after the other, and keeps count. */
class SpanLooker {
  readonly #storage: TraceSource
  readonly #tenant: ProjectTenant
  readonly #query: TraceQuery
  readonly #search: TextSearch | undefined
  readonly #reader: StoredSpanReader
  readonly snippets = new Map<string, TraceSnippet>()
  #spans = 0
  #traces = 0

  constructor(storage: TraceSource, tenant: ProjectTenant, query: TraceQuery) {
    this.#storage = storage
    this.#tenant = tenant
    this.#query = query
    this.#search = query.text === undefined ? undefined : new TextSearch(query.text)
    this.#reader = new StoredSpanReader(storage, tenant, storage)
  }

  /** It has looked at enough for one page. A trace that it has begun with is always looked at to its end. */
  get isTired(): boolean {
    return (
      this.#spans >= EXAMINED_SPANS_MAX ||
      this.#traces >= EXAMINED_TRACES_MAX ||
      this.#reader.unpackedBytes >= UNPACKED_BYTES_MAX
    )
  }

  async accepts({ traceId }: StoredTrace): Promise<boolean> {
    const { conditions, required, logic } = this.#query
    this.#traces++
    let meets = conditions.length === 0 && required.length === 0
    let snippet: TraceSnippet | undefined
    const isSaid = () => this.#search === undefined || snippet !== undefined
    const places = spanPlaces(await this.#storage.listTracePlaces(this.#tenant, traceId, PLACES_MAX))
    for (let at = 0; at < places.length && !(meets && isSaid()); at += SPANS_AT_ONCE) {
      await this.#reader.each(places.slice(at, at + SPANS_AT_ONCE), (_, stored) => {
        if (!stored) return true
        const { view } = stored
        this.#spans++
        const textsOf = (field: string) => fieldTexts(field, view)
        meets ||= holds(required, 'AND', textsOf) && holds(conditions, logic, textsOf)
        const found = snippet ? undefined : this.#search?.find(view)
        if (found) snippet = { spanId: view.spanId, ...found }
        return !(meets && isSaid())
      })
    }
    if (!meets || !isSaid()) return false
    if (snippet) this.snippets.set(traceId, snippet)
    return true
  }
}

/** The places of single spans. */
export function spanPlaces(
  places: readonly { readonly batchId: number; readonly units: Uint8Array }[],
): SpanPlace[] {
  return places.flatMap(({ batchId, units }) => listUnits(units).map((ordinal) => ({ batchId, ordinal })))
}
