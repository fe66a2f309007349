import { spanFields } from '../domain/span-fields/span-fields.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { traceFields } from '../domain/trace-fields/trace-fields.ts'
import { listUnits } from '../domain/unit-set.ts'
import type { ReadableSpan } from '../evaluators/kit/span-inputs.ts'
import { attachContents, idsOfSpans } from '../lib/otlp/attach-contents.ts'
import type { Span } from '../lib/otlp/span.ts'
import { unpackSpans } from '../lib/otlp/stored-spans.ts'
import type { ContentStorage } from '../ports/content-storage.ts'
import type { StoredEvaluation } from '../ports/result-storage.ts'
import type { SpanStorage } from '../ports/span-storage.ts'
import type { TracePlace, TraceStorage } from '../ports/trace-storage.ts'

/** Traces of a session that are looked at; an evaluation sees no more of them either. */
const TRACES_MAX = 200
/** Largest unit that is read again: it is decoded where all requests are answered. */
const PLACES_MAX = 1_000
const SPANS_MAX = 1_000
const UNPACKED_BYTES_MAX = 33_554_432

/** The evaluated spans, read again, or the reason why that cannot be done. */
export type ReadUnit = { readonly from: ReadableSpan } | { readonly reason: string }

/** Reads the span, the trace or the session of an evaluation as it was when it was evaluated. */
export async function readUnit(
  storage: SpanStorage & TraceStorage & ContentStorage,
  tenant: ProjectTenant,
  evaluation: StoredEvaluation,
): Promise<ReadUnit> {
  if (evaluation.spanId !== undefined) return readSpan(storage, tenant, evaluation)
  const places = await placesOf(storage, tenant, evaluation)
  if (places.length > PLACES_MAX) return tooLarge(evaluation)
  const spans = await spansAt(storage, tenant, places, evaluation.createdAtMs)
  if (!spans) return tooLarge(evaluation)
  const fields = traceFields(spans)
  if (!fields) return { reason: `the spans of the ${evaluation.scope} are no longer kept` }
  return { from: { span: fields.root, fields } }
}

function tooLarge({ scope }: StoredEvaluation): ReadUnit {
  return { reason: `the ${scope} is too large to be read again; GET /v2/traces/{trace_id} shows its spans` }
}

async function readSpan(
  storage: SpanStorage & ContentStorage,
  tenant: ProjectTenant,
  { batchId, ordinal }: StoredEvaluation,
): Promise<ReadUnit> {
  const [batch] = await storage.readBatches(tenant, [batchId])
  const view = batch && (await unpackSpans(batch))[ordinal]
  if (!view) return { reason: 'the span is no longer kept' }
  attachContents([view], await storage.readContents(tenant, idsOfSpans([view])))
  const span = view.toSpan()
  return { from: { span, fields: spanFields(span) } }
}

/** Where the spans of the unit lie; one more than are read where there are too many. */
async function placesOf(
  storage: TraceStorage,
  tenant: ProjectTenant,
  { scope, traceId, sessionId }: StoredEvaluation,
): Promise<TracePlace[]> {
  const traceIds =
    scope === 'session' && sessionId !== undefined ? await tracesOf(storage, tenant, sessionId) : [traceId]
  const places: TracePlace[] = []
  for (const id of traceIds) {
    places.push(...(await storage.listTracePlaces(tenant, id, PLACES_MAX + 1 - places.length)))
    if (places.length > PLACES_MAX) break
  }
  return places
}

async function tracesOf(storage: TraceStorage, tenant: ProjectTenant, sessionId: string): Promise<string[]> {
  const ids: string[] = []
  let page = await storage.listTraces(tenant, { sessionId }, { limit: TRACES_MAX })
  for (;;) {
    ids.push(...page.traces.map(({ traceId }) => traceId))
    if (ids.length >= TRACES_MAX || page.next === undefined) return ids
    const range = { limit: TRACES_MAX - ids.length, after: page.next }
    page = await storage.listTraces(tenant, { sessionId }, range)
  }
}

/**
 * The spans at these places that had arrived by then: a span that came later was not evaluated. Undefined when they are too
 * many.
 */
async function spansAt(
  storage: SpanStorage & ContentStorage,
  tenant: ProjectTenant,
  places: readonly TracePlace[],
  arrivedByMs: number,
): Promise<Span[] | undefined> {
  const spans: Span[] = []
  let bytes = 0
  for (const [batchId, inBatch] of Map.groupBy(places, (place) => place.batchId)) {
    const [batch] = await storage.readBatches(tenant, [batchId])
    if (!batch || batch.receivedAtMs > arrivedByMs) continue
    bytes += batch.byteLength
    const ordinals = inBatch.flatMap(({ units }) => listUnits(units))
    if (bytes > UNPACKED_BYTES_MAX || spans.length + ordinals.length > SPANS_MAX) return undefined
    const views = await unpackSpans(batch)
    const own = ordinals.flatMap((ordinal) => views[ordinal] ?? [])
    attachContents(own, await storage.readContents(tenant, idsOfSpans(own)))
    spans.push(...own.map((view) => view.toSpan()))
  }
  return spans
}
