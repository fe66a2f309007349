import { setImmediate } from 'node:timers/promises'
import type { EnvironmentTenant } from '../domain/tenant.ts'
import type { SpanView } from '../lib/otlp/span-view.ts'
import { unpackSpans } from '../lib/otlp/stored-spans.ts'
import type { SpanRef, SpanStorage, StoredBatch } from '../ports/span-storage.ts'

/** Batches that are asked for at once. */
const BATCHES_AT_ONCE = 8
/** Spans that are looked for at a time. */
const FOUND_AT_ONCE = 1_000

/** How much one look at stored spans may read. */
export interface SampleLimits {
  readonly spansMax: number
  /** Spans that are looked at, also where they belong to other environments of the project. */
  readonly examinedMax: number
  /** Of batches, unpacked; the first one is always read. */
  readonly bytesMax: number
}

/**
 * Calls `visit` with the newest stored spans of an environment, as many as the limits allow; those that came together follow
 * each other. Batches are unpacked one after the other, and others get their turn on the event loop between them.
 */
export async function sampleSpans(
  storage: Pick<SpanStorage, 'listSpanRefs' | 'readBatches'>,
  tenant: EnvironmentTenant,
  { spansMax, examinedMax, bytesMax }: SampleLimits,
  visit: (span: SpanView) => void,
): Promise<void> {
  let spans = 0
  let bytes = 0
  let after: SpanRef | undefined
  for (let examined = 0; examined < examinedMax; examined += FOUND_AT_ONCE) {
    const refs = await storage.listSpanRefs(tenant, {
      ...{ fromSecond: 0, toSecond: Number.MAX_SAFE_INTEGER, isDescending: true, limit: FOUND_AT_ONCE },
      ...(after && { after }),
    })
    for await (const { batch, ordinals } of batchesOf(storage, tenant, refs)) {
      const isOwn = batch.envProjectId === tenant.envProjectId
      bytes += isOwn ? batch.byteLength : batch.bytes.length
      const views = isOwn ? await unpackSpans(batch) : []
      for (const ordinal of ordinals) {
        const view = views[ordinal]
        if (!view) continue
        visit(view)
        if (++spans >= spansMax) return
      }
      if (bytes >= bytesMax) return
      await setImmediate()
    }
    after = refs.at(-1)
    if (refs.length < FOUND_AT_ONCE) return
  }
}

interface Wanted {
  readonly batch: StoredBatch
  readonly ordinals: readonly number[]
}

/** Each batch once, in the order of its newest span. */
async function* batchesOf(
  storage: Pick<SpanStorage, 'readBatches'>,
  tenant: EnvironmentTenant,
  refs: readonly SpanRef[],
): AsyncGenerator<Wanted> {
  const places = [...Map.groupBy(refs, ({ batchId }) => batchId)]
  for (let at = 0; at < places.length; at += BATCHES_AT_ONCE) {
    const some = places.slice(at, at + BATCHES_AT_ONCE)
    const batches = await storage.readBatches(
      tenant,
      some.map(([batchId]) => batchId),
    )
    for (const [id, found] of some) {
      const batch = batches.find(({ batchId }) => batchId === id)
      if (batch) yield { batch, ordinals: found.map(({ ordinal }) => ordinal) }
    }
  }
}
