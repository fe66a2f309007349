import { TRACE_COMPLETE_KEY } from '../digest-spans.ts'
import type { Span } from '../span.ts'

/** How much of a trace has arrived. */
export interface TraceState {
  /** A span without a parent is there; it is sent when it has ended. */
  readonly hasRoot: boolean
  /** Spans that are named as a parent and have not come. */
  readonly missingParents: number
  /** A span said with `assay.trace.complete` that nothing more will come. */
  readonly isComplete: boolean
}

/** Says how much of a trace its spans are, in any order and however often each came. */
export function traceState(spans: readonly Span[]): TraceState {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const missing = new Set<string>()
  let hasRoot = false
  let isComplete = false
  for (const { parentSpanId, attributes } of spans) {
    if (parentSpanId === undefined) hasRoot = true
    else if (!ids.has(parentSpanId)) missing.add(parentSpanId)
    const mark = attributes.get(TRACE_COMPLETE_KEY)
    if (mark === true || mark === 'true') isComplete = true
  }
  return { hasRoot, missingParents: missing.size, isComplete }
}
