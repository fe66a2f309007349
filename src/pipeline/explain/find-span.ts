import type { SpanView } from '../../domain/otlp/span-view.ts'
import type { ProjectScope } from '../../domain/tenant.ts'
import { listUnits } from '../../domain/unit-set.ts'
import type { BatchRef } from '../../ports/explain-storage.ts'
import type { Storage } from '../../ports/storage.ts'
import { type SpanPlace, StoredSpanReader } from '../stored-span-reader.ts'

/** Batches of one trace that are looked through for one of its spans. */
const PLACES_MAX = 2_000
/** Batches that are looked through because nobody has summed them up yet. */
const UNDIGESTED_MAX = 200

/** What finding a span asks the store for. */
export type FindingStorage = Pick<
  Storage,
  'listTracePlaces' | 'listUndigestedBatches' | 'readBatches' | 'getTrace' | 'listEvaluations'
>

/** A stored span and where it lies. */
export interface SpanAt extends SpanPlace {
  readonly view: SpanView
}

/**
 * Finds a stored span by its ids: through its trace, or, where its batch was stored so lately that no trace knows of it,
 * in the batches that are not summed up yet. A span that came again is found where it came first.
 */
export async function findSpan(
  storage: FindingStorage & ConstructorParameters<typeof StoredSpanReader>[0],
  scope: ProjectScope,
  traceId: string,
  spanId: string,
): Promise<SpanAt | undefined> {
  const reader = new StoredSpanReader(storage, scope)
  // In this order: a batch that is summed up meanwhile is then in the second list if it was not in the first.
  const undigested = await storage.listUndigestedBatches(scope, UNDIGESTED_MAX)
  const places = await storage.listTracePlaces(scope, traceId, PLACES_MAX)
  const digested = new Set(places.map(({ batchId }) => batchId))
  const candidates = [
    ...places.flatMap(({ batchId, units }) => listUnits(units).map((ordinal) => ({ batchId, ordinal }))),
    ...undigested.filter(({ batchId }) => !digested.has(batchId)).flatMap(newPlaces),
  ]
  let found: SpanAt | undefined
  await reader.each(candidates, (place, span) => {
    if (span?.view.spanId === spanId && span.view.traceId === traceId) found = { ...place, view: span.view }
    return found === undefined
  })
  return found
}

function newPlaces({ batchId, spanCount, repeated }: BatchRef): SpanPlace[] {
  const known = new Set(repeated)
  return Array.from({ length: spanCount }, (_, ordinal) => ({ batchId, ordinal })).filter(
    ({ ordinal }) => !known.has(ordinal),
  )
}

/** Why a span cannot be found, as far as that can be told. */
export async function whyNotFound(
  storage: FindingStorage,
  scope: ProjectScope,
  traceId: string,
  spanId: string,
): Promise<string> {
  const range = { order: 'newest', limit: 1 } as const
  const { evaluations } = await storage.listEvaluations(scope, { traceId, spanId }, range)
  const [last] = evaluations
  if (last) {
    const when = new Date(last.createdAtMs).toISOString()
    return `the span is no longer kept; it was last evaluated at ${when}`
  }
  const trace = await storage.getTrace(scope, traceId)
  const reasons =
    'it never arrived, it was rejected (the answer to the sender said so in partial_success), or it is no longer kept'
  if (!trace) return `no span of this trace is stored: ${reasons}`
  const spans = trace.spanCount === 1 ? '1 span' : `${trace.spanCount} spans`
  return `the trace is stored with ${spans}, but not this one: ${reasons}`
}
