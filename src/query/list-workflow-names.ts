import { WORKFLOW_KEY } from '../domain/application.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { attributeText } from '../lib/otlp/span.ts'
import type { SpanRange, SpanStorage } from '../ports/span-storage.ts'
import { StoredSpanReader, UNPACKED_BYTES_MAX } from './stored-span-reader.ts'

/** Spans that are looked at for one answer. */
export const WORKFLOW_SPANS_MAX = 5_000
/** Spans that are found at a time. */
const FOUND_AT_ONCE = 500

/** A place between spans, in order of their starts. */
export type SpanPosition = NonNullable<SpanRange['after']>

/** The names that were found, and where to go on when there are more spans than one answer looks at. */
export interface WorkflowNames {
  readonly names: readonly string[]
  readonly next?: SpanPosition
}

/** The names of workflows that the newest spans of a stretch of time carry, sorted. */
export async function listWorkflowNames(
  storage: SpanStorage,
  tenant: ProjectTenant,
  range: { readonly fromSecond: number; readonly toSecond: number; readonly after?: SpanPosition },
): Promise<WorkflowNames> {
  const reader = new StoredSpanReader(storage, tenant)
  const names = new Set<string>()
  let { after } = range
  let looked = 0
  let unpackedBytes = 0
  // Unpacked spans are read to the end; nothing more is unpacked once the budget is used up.
  const isEnough = () => unpackedBytes >= UNPACKED_BYTES_MAX && reader.unpackedBytes > unpackedBytes
  for (;;) {
    const refs = await storage.listSpanRefs(tenant, {
      ...range,
      isDescending: true,
      limit: FOUND_AT_ONCE,
      ...(after && { after }),
    })
    await reader.each(refs, ({ second, traceId, spanId }, found) => {
      if (isEnough()) return false
      unpackedBytes = reader.unpackedBytes
      const value = found?.view.attribute('span_attributes', WORKFLOW_KEY)
      if (value !== undefined && value !== null) names.add(attributeText(value))
      after = { second, traceId, spanId }
      looked++
      return true
    })
    const found = [...names].sort()
    if ((looked >= WORKFLOW_SPANS_MAX || isEnough()) && after) return { names: found, next: after }
    if (refs.length < FOUND_AT_ONCE) return { names: found }
  }
}
