import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { TraceDetail, TraceSpan } from './trace-types.ts'

const PAGE_SPANS = 1_000
/** Spans that are read before the user asks for more: a number that a browser holds with ease. */
export const SPANS_STEP = 5_000
/** A trace that ended so lately may still get spans. */
const SETTLED_MS = 120_000
/** Larger traces are not read again and again. */
const POLLED_SPANS_MAX = 500

/** A trace and the spans of it that were read. */
export interface ReadTrace {
  readonly trace: TraceDetail
  readonly spans: readonly TraceSpan[]
  readonly hasMore: boolean
}

/** A trace with up to `spansMax` of its spans. */
export function useTrace(traceId: string, spansMax: number) {
  return useQuery({
    queryKey: ['trace', traceId, spansMax],
    queryFn: () => readTrace(traceId, spansMax),
    placeholderData: (before, query) =>
      query?.queryKey[1] === traceId ? keepPreviousData(before) : undefined,
    refetchInterval: ({ state }) => pollMs(state.data),
  })
}

async function readTrace(traceId: string, spansMax: number): Promise<ReadTrace> {
  const spans: TraceSpan[] = []
  for (let cursor: string | undefined; ; ) {
    const query = { limit: PAGE_SPANS, ...(cursor === undefined ? {} : { cursor }) }
    const trace = await ok(
      api.GET('/v2/traces/{trace_id}', { params: { path: { trace_id: traceId }, query } }),
    )
    spans.push(...trace.spans)
    cursor = trace.next_cursor
    if (cursor === undefined || spans.length >= spansMax)
      return { trace, spans, hasMore: cursor !== undefined }
  }
}

/** Whether spans may still be under way. */
export function isSettled({ started_at: at, duration_ms: ms }: TraceDetail, nowMs = Date.now()): boolean {
  return nowMs - (Date.parse(at) + ms) > SETTLED_MS
}

function pollMs(read: ReadTrace | undefined): number | false {
  if (!read || read.spans.length > POLLED_SPANS_MAX) return false
  return isSettled(read.trace) ? 30_000 : 5_000
}
