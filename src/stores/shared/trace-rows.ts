import type { ModelUses } from '../../domain/model-use.ts'
import type {
  StoredSession,
  StoredTrace,
  TracePage,
  TracePlace,
  TracePosition,
} from '../../ports/trace-storage.ts'
import { decodeModelUses } from './model-use-text.ts'
import { toHex } from './span-rows.ts'

/** A row of `traces`. */
export interface TraceRow {
  trace_id: Uint8Array
  env_project_id: string
  first_ms: number
  last_ms: number
  arrived_at_ms: number
  span_count: number
  error_count: number
  root_name: string | null
  service: string | null
  model: string | null
  session_id: string | null
  model_calls: number
  prompt_tokens: number
  completion_tokens: number
  model_use: string
  is_complete: number
}

/** A trace as it is told. */
export function toTrace(row: TraceRow): StoredTrace {
  return {
    traceId: toHex(row.trace_id),
    envProjectId: row.env_project_id,
    firstMs: row.first_ms,
    lastMs: row.last_ms,
    arrivedAtMs: row.arrived_at_ms,
    spanCount: row.span_count,
    errorCount: row.error_count,
    ...(row.root_name === null ? {} : { rootName: row.root_name }),
    ...(row.service === null ? {} : { service: row.service }),
    ...(row.model === null ? {} : { model: row.model }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    modelCalls: row.model_calls,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    models: decodeModelUses(row.model_use),
    isComplete: row.is_complete === 1,
  }
}

/** The last trace that was looked at for a page. */
export type StopRow = Pick<TraceRow, 'first_ms' | 'trace_id'>

/** At most `limit` of the rows, of which there is one more than that when a page is full. */
export function toTracePage(rows: readonly TraceRow[], limit: number, stop: StopRow | undefined): TracePage {
  const traces = rows.slice(0, limit).map(toTrace)
  const last = traces.at(-1)
  if (rows.length > limit && last) return { traces, next: positionOf(last) }
  return {
    traces,
    ...(stop && { next: { firstMs: stop.first_ms, traceId: toHex(stop.trace_id) } }),
  }
}

function positionOf({ firstMs, traceId }: StoredTrace): TracePosition {
  return { firstMs, traceId }
}

/** Most traces that are looked at for one page. */
const EXAMINED_MAX = 10_000
/** However many versions there are, so many traces are looked at. */
const EXAMINED_MIN = 10

/**
 * How many traces are looked at for one page. Evaluations lie by monitor version, so a trace is looked up under each that is
 * meant; `lookupsMax` is how many such looks a store takes for one page.
 */
export function examinedMax(versions: readonly number[] | undefined, lookupsMax: number): number {
  if (!versions) return EXAMINED_MAX
  const count = Math.floor(lookupsMax / Math.max(1, versions.length))
  return Math.max(EXAMINED_MIN, Math.min(EXAMINED_MAX, count))
}

/** A row of `trace_places`. */
export interface PlaceRow {
  batch_id: number
  units: Uint8Array
}

/** A place as it is told. */
export function toPlace({ batch_id: batchId, units }: PlaceRow): TracePlace {
  return { batchId, units }
}

/** The traces of a session, added up. */
export interface SessionRow {
  session_id: string
  first_ms: number
  last_ms: number
  trace_count: number
  span_count: number
  error_count: number
  model_calls: number
  prompt_tokens: number
  completion_tokens: number
}

/** The columns of a `SessionRow`, in a statement that groups traces by session. */
export const SESSION_COLUMNS = `session_id, min(first_ms) AS first_ms, max(last_ms) AS last_ms, count(*) AS trace_count,
  sum(span_count) AS span_count, sum(error_count) AS error_count, sum(model_calls) AS model_calls,
  sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens`

/** A session as it is told. */
export function toSession(row: SessionRow, models: ModelUses = new Map()): StoredSession {
  return {
    sessionId: row.session_id,
    firstMs: row.first_ms,
    lastMs: row.last_ms,
    traceCount: row.trace_count,
    spanCount: row.span_count,
    errorCount: row.error_count,
    modelCalls: row.model_calls,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    models,
  }
}
