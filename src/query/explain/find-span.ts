import type { ProjectTenant } from '../../domain/tenant.ts'
import { listUnits } from '../../domain/unit-set.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import type { ContentStorage } from '../../ports/content-storage.ts'
import type { BatchRef } from '../../ports/explain-storage.ts'
import type { SpanStorage } from '../../ports/span-storage.ts'
import type { Storage } from '../../ports/storage.ts'
import { type SpanPlace, StoredSpanReader } from '../stored-span-reader.ts'

/** Batches of one trace that are looked through for one of its spans. */
const PLACES_MAX = 2_000
/** Batches that are looked through because they are not summed up yet. */
const UNDIGESTED_MAX = 200
/** Batches that the digest has passed over and that an answer counts. */
const PASSED_OVER_MAX = 1_000

/** The methods of the store that find a span. */
export type FindingStorage = Pick<
  Storage,
  | 'listTracePlaces'
  | 'listUndigestedBatches'
  | 'listPassedOver'
  | 'readBatches'
  | 'getTrace'
  | 'listEvaluations'
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
  storage: FindingStorage & SpanStorage & ContentStorage,
  tenant: ProjectTenant,
  traceId: string,
  spanId: string,
): Promise<SpanAt | undefined> {
  const reader = new StoredSpanReader(storage, tenant, storage)
  // In this order: a batch that is summed up meanwhile is then in the second list if it was not in the first.
  const undigested = await storage.listUndigestedBatches(tenant, UNDIGESTED_MAX)
  const places = await storage.listTracePlaces(tenant, traceId, PLACES_MAX)
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
  tenant: ProjectTenant,
  traceId: string,
  spanId: string,
): Promise<string> {
  const stored = await storedElsewhere(storage, tenant)
  const range = { order: 'newest', limit: 1 } as const
  const { evaluations } = await storage.listEvaluations(tenant, { traceId, spanId }, range)
  const [last] = evaluations
  if (last) {
    const when = new Date(last.createdAtMs).toISOString()
    return stored
      ? `the span was last evaluated at ${when}; ${stored}; otherwise it is no longer kept`
      : `the span is no longer kept; it was last evaluated at ${when}`
  }
  const trace = await storage.getTrace(tenant, traceId)
  const reasons =
    'it never arrived, it was rejected (the answer to the sender said so in partial_success), or it is no longer kept'
  const all = stored ? `${stored}; otherwise ${reasons}` : reasons
  if (!trace) return `${stored ? 'this trace is not known yet' : 'no span of this trace is stored'}: ${all}`
  const spans = trace.spanCount === 1 ? '1 span' : `${trace.spanCount} spans`
  return `the trace is stored with ${spans}, but not this one: ${all}`
}

/** Where else a span may lie: in batches that are kept and could not be looked through. */
async function storedElsewhere(storage: FindingStorage, tenant: ProjectTenant): Promise<string | undefined> {
  const parts: string[] = []
  const undigested = await storage.listUndigestedBatches(tenant, UNDIGESTED_MAX + 1)
  if (undigested.length > UNDIGESTED_MAX)
    parts.push(
      `more than ${UNDIGESTED_MAX} stored batches are not summed up yet, and it may be in one of them`,
    )
  const givenUp = (await storage.listPassedOver(tenant, PASSED_OVER_MAX)).filter(({ isGivenUp }) => isGivenUp)
  const [newest] = givenUp
  if (newest) {
    const when = new Date(newest.receivedAtMs).toISOString()
    const batches = givenUp.length === 1 ? 'a stored batch' : `one of ${givenUp.length} stored batches`
    parts.push(
      `it may be in ${batches} that cannot be read (batch ${newest.batchId} of ${when}: ${newest.reason})`,
    )
  }
  return parts.length === 0 ? undefined : parts.join(', or ')
}
