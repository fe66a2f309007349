import { attributeText } from '../domain/span.ts'
import type { ProjectScope } from '../domain/tenant.ts'
import type { SpanStorage } from '../ports/span-storage.ts'
import { StoredSpanReader } from './stored-span-reader.ts'

/** The newest spans that are looked at. */
export const WORKFLOW_SPANS_MAX = 5_000
/** Spans that are found at a time. */
const FOUND_AT_ONCE = 500
const WORKFLOW_KEY = 'traceloop.workflow.name'

/** The names of workflows that the newest spans of a stretch of time carry, sorted. */
export async function listWorkflowNames(
  storage: SpanStorage,
  scope: ProjectScope,
  range: { readonly fromSecond: number; readonly toSecond: number },
): Promise<string[]> {
  const reader = new StoredSpanReader(storage, scope)
  const names = new Set<string>()
  let after: { second: number; traceId: string; spanId: string } | undefined
  for (let looked = 0; looked < WORKFLOW_SPANS_MAX; looked += FOUND_AT_ONCE) {
    const refs = await storage.listSpanRefs(scope, {
      ...range,
      isDescending: true,
      limit: FOUND_AT_ONCE,
      ...(after && { after }),
    })
    await reader.each(refs, (_, found) => {
      const value = found?.view.attribute('span_attributes', WORKFLOW_KEY)
      if (value !== undefined && value !== null) names.add(attributeText(value))
      return true
    })
    after = refs.at(-1)
    if (refs.length < FOUND_AT_ONCE) break
  }
  return [...names].sort()
}
