import { addModelUse } from '../../domain/model-use.ts'
import type { TraceDigest } from '../../domain/trace-digest.ts'
import { decodeModelUses, encodeModelUses } from './model-use-text.ts'
import type { TraceRow } from './trace-rows.ts'

/** A batch as far as summing up and units need to know it. */
export interface UnitBatch {
  readonly id: number
  readonly project_number: number
  readonly env_project_id: string
  readonly received_at_ms: number
}

/** The row of a trace after a batch has added to it. */
export function joinTrace(known: TraceRow | undefined, batch: UnitBatch, said: TraceDigest): TraceRow {
  const firstMs = said.firstMs || batch.received_at_ms
  const lastMs = said.lastMs || batch.received_at_ms
  return {
    trace_id: Buffer.from(said.traceId, 'hex'),
    env_project_id: known?.env_project_id ?? batch.env_project_id,
    first_ms: Math.min(known?.first_ms ?? firstMs, firstMs),
    last_ms: Math.max(known?.last_ms ?? lastMs, lastMs),
    arrived_at_ms: Math.max(known?.arrived_at_ms ?? 0, batch.received_at_ms),
    span_count: (known?.span_count ?? 0) + said.spanCount,
    error_count: (known?.error_count ?? 0) + said.errorCount,
    // The service of the root is the one that a trace is known by.
    service:
      (said.rootName === undefined ? (known?.service ?? said.service) : (said.service ?? known?.service)) ??
      null,
    root_name: said.rootName ?? known?.root_name ?? null,
    model: said.model ?? known?.model ?? null,
    session_id: known?.session_id ?? said.sessionId ?? null,
    model_calls: (known?.model_calls ?? 0) + said.modelCalls,
    prompt_tokens: (known?.prompt_tokens ?? 0) + said.promptTokens,
    completion_tokens: (known?.completion_tokens ?? 0) + said.completionTokens,
    model_use: joinUses(known, said),
    is_complete: Math.max(known?.is_complete ?? 0, Number(said.isComplete)),
  }
}

function joinUses(known: TraceRow | undefined, said: TraceDigest): string {
  if (!known) return encodeModelUses(said.models)
  if (said.models.size === 0) return known.model_use
  const uses = decodeModelUses(known.model_use)
  for (const [model, use] of said.models) addModelUse(uses, model, use)
  return encodeModelUses(uses)
}

/** How long the service of a batch has paused before it went on with a trace; undefined where that cannot be told. */
export function pauseBefore(
  known: TraceRow | undefined,
  batch: UnitBatch,
  { service }: TraceDigest,
): { readonly service: string; readonly ms: number } | undefined {
  if (service === undefined || !known) return undefined
  const ms = batch.received_at_ms - known.arrived_at_ms
  return ms > 0 ? { service, ms } : undefined
}
