import type { ProjectTenant } from '../domain/tenant.ts'
import { defined } from '../lib/defined.ts'
import type { ContentStorage } from '../ports/content-storage.ts'
import type {
  EvaluationFilter,
  EvaluationPage,
  ResultStorage,
  StoredEvaluation,
} from '../ports/result-storage.ts'
import type { SpanStorage } from '../ports/span-storage.ts'
import type { TraceStorage } from '../ports/trace-storage.ts'
import { spanPlaces } from './find-traces.ts'
import { RANKED_MAX, type RankedEvaluations, rankEvaluations } from './rank-evaluations.ts'
import { type SpanPlace, StoredSpanReader, UNPACKED_BYTES_MAX } from './stored-span-reader.ts'
import { TextSearch } from './text-search.ts'

/** Looking for a text ends a page after so many spans, or bytes that were unpacked for them. */
const EXAMINED_SPANS_MAX = 5_000
/** Evaluations whose spans are looked at together. */
const AT_ONCE = 50
/** Batches of one trace that are looked at. */
const PLACES_MAX = 1_000

/** Where it looks. */
export type EvaluationSource = ResultStorage & SpanStorage & TraceStorage & ContentStorage

/** Which evaluations are wanted. */
export interface EvaluationSearch {
  readonly filter: EvaluationFilter
  /** A prompt or a completion of the unit contains it, in upper or lower case. */
  readonly text?: string
  readonly limit: number
}

/**
 * A page of evaluations, the newest first. A text is in the spans alone, so these are read, and only so many for one page: it
 * may be short, or empty, and still have a `nextAfter`.
 */
export async function searchEvaluations(
  storage: EvaluationSource,
  tenant: ProjectTenant,
  { filter, text, limit }: EvaluationSearch,
  afterNumber?: number,
): Promise<EvaluationPage> {
  if (text === undefined)
    return storage.listEvaluations(tenant, filter, { order: 'newest', limit, ...defined({ afterNumber }) })
  const reader = new UnitTexts(storage, tenant, text)
  const evaluations: StoredEvaluation[] = []
  let after = afterNumber
  for (;;) {
    const range = { order: 'newest', limit: AT_ONCE, ...defined({ afterNumber: after }) } as const
    const page = await storage.listEvaluations(tenant, filter, range)
    for (const found of await reader.among(page.evaluations)) {
      evaluations.push(found)
      if (evaluations.length === limit) return { evaluations, nextAfter: found.number }
    }
    after = page.nextAfter
    if (after === undefined) return { evaluations }
    // The store has looked at as many as it does for one page, and so ends this one.
    if (reader.isTired || page.evaluations.length < AT_ONCE) return { evaluations, nextAfter: after }
  }
}

/** The worst or the best among the newest evaluations that the filter leaves, of those whose texts contain what is looked for. */
export async function searchRanked(
  storage: EvaluationSource,
  tenant: ProjectTenant,
  { filter, text, limit }: EvaluationSearch,
  order: 'worst' | 'best',
): Promise<RankedEvaluations> {
  const range = { order, limit: text === undefined ? limit : RANKED_MAX }
  const ranked = await rankEvaluations(storage, tenant, filter, range)
  if (text === undefined) return ranked
  const reader = new UnitTexts(storage, tenant, text)
  const evaluations: StoredEvaluation[] = []
  let at = 0
  while (at < ranked.evaluations.length && evaluations.length < limit && !reader.isTired) {
    evaluations.push(...(await reader.among(ranked.evaluations.slice(at, at + AT_ONCE))))
    at += AT_ONCE
  }
  return { evaluations: evaluations.slice(0, limit), sampled: ranked.sampled }
}

/** Looks for a text in the spans of evaluated units, and keeps count. */
class UnitTexts {
  readonly #storage: EvaluationSource
  readonly #tenant: ProjectTenant
  readonly #search: TextSearch
  readonly #reader: StoredSpanReader
  #spans = 0

  constructor(storage: EvaluationSource, tenant: ProjectTenant, text: string) {
    this.#storage = storage
    this.#tenant = tenant
    this.#search = new TextSearch(text)
    this.#reader = new StoredSpanReader(storage, tenant, storage)
  }

  /** It has looked at enough for one page. */
  get isTired(): boolean {
    return this.#spans >= EXAMINED_SPANS_MAX || this.#reader.unpackedBytes >= UNPACKED_BYTES_MAX
  }

  /** Those whose unit contains the text, in their order. */
  async among(evaluations: readonly StoredEvaluation[]): Promise<StoredEvaluation[]> {
    const places: (SpanPlace & { readonly of: number })[] = []
    for (const { number, ...unit } of evaluations)
      for (const place of await this.#placesOf(unit)) places.push({ ...place, of: number })
    const found = new Set<number>()
    await this.#reader.each(places, ({ of }, span) => {
      if (!span || found.has(of)) return true
      this.#spans++
      if (this.#search.find(span.view)) found.add(of)
      return true
    })
    return evaluations.filter(({ number }) => found.has(number))
  }

  async #placesOf(unit: Omit<StoredEvaluation, 'number'>): Promise<readonly SpanPlace[]> {
    if (unit.spanId !== undefined) return [unit]
    return spanPlaces(await this.#storage.listTracePlaces(this.#tenant, unit.traceId, PLACES_MAX))
  }
}
