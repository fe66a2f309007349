import { setTimeout as sleep } from 'node:timers/promises'
import type { ProjectTenant } from '../domain/tenant.ts'
import { traceFields } from '../domain/trace-fields/trace-fields.ts'
import { listUnits } from '../domain/unit-set.ts'
import type { ReadableSpan } from '../evaluators/kit/span-inputs.ts'
import { attachContents } from '../lib/otlp/attach-contents.ts'
import type { Span } from '../lib/otlp/span.ts'
import { unpackSpans } from '../lib/otlp/stored-spans.ts'
import type { Storage } from '../ports/storage.ts'

/** Traces that one look at a setup reads, and how much of each: they are decoded on the event loop. */
const TRACES_MAX = 4
const PLACES_MAX = 8
const SPANS_MAX = 200
/** How long it waits for the traces of spans that have just arrived. */
const DIGEST_MS_MAX = 5_000
const DIGEST_LOOK_MS = 50

/** The methods of the store that read traces. */
export type TraceReading = Pick<Storage, 'listTracePlaces' | 'readBatches' | 'readContents' | 'digest'>

/**
 * The traces of these spans, each as one readable thing: what an evaluator that looks at whole traces would be given.
 * `throughBatch` is the last batch that the spans come from; their traces are known when it was summed up.
 */
export async function sampleTraces(
  storage: TraceReading,
  tenant: ProjectTenant,
  spans: readonly Span[],
  throughBatch: number,
): Promise<ReadableSpan[]> {
  for (let waitedMs = 0; waitedMs < DIGEST_MS_MAX; waitedMs += DIGEST_LOOK_MS) {
    if (await storage.digest.isDigested(tenant, throughBatch)) break
    await sleep(DIGEST_LOOK_MS)
  }
  const traceIds = [...new Set(spans.map(({ traceId }) => traceId))].slice(0, TRACES_MAX)
  const traces = await Promise.all(traceIds.map((traceId) => readTrace(storage, tenant, traceId)))
  return traces.flatMap((trace) => trace ?? [])
}

async function readTrace(
  storage: TraceReading,
  tenant: ProjectTenant,
  traceId: string,
): Promise<ReadableSpan | undefined> {
  const places = await storage.listTracePlaces(tenant, traceId, PLACES_MAX)
  const batches = await storage.readBatches(
    tenant,
    places.map(({ batchId }) => batchId),
  )
  const contents = await storage.readContents(tenant, [{ traceId }])
  const spans: Span[] = []
  for (const { batchId, units } of places) {
    const batch = batches.find((each) => each.batchId === batchId)
    const views = batch ? await unpackSpans(batch) : []
    attachContents(views, contents)
    for (const ordinal of listUnits(units).slice(0, SPANS_MAX - spans.length)) {
      const view = views[ordinal]
      if (view) spans.push(view.toSpan())
    }
  }
  const fields = traceFields(spans)
  return fields && { span: fields.root, fields }
}
