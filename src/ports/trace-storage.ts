import type { ProjectScope } from '../domain/tenant.ts'
import type { BatchDigest } from '../domain/trace-digest.ts'
import type { UnitSet } from '../domain/unit-set.ts'
import type { StoredBatch } from './span-storage.ts'

/** A trace as far as its spans have been summed up. What is absent was said by none of them. */
export interface StoredTrace {
  readonly traceId: string
  readonly envProjectId: string
  readonly firstMs: number
  readonly lastMs: number
  /** When its newest span arrived. */
  readonly arrivedAtMs: number
  readonly spanCount: number
  readonly errorCount: number
  /** Absent while its root has not arrived. */
  readonly rootName?: string
  readonly service?: string
  readonly model?: string
  readonly sessionId?: string
  readonly modelCalls: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly isComplete: boolean
}

/** Which traces are meant; all conditions hold together. */
export interface TraceFilter {
  /** By the start of the trace. */
  readonly fromMs?: number
  /** Not included. */
  readonly toMs?: number
  /** Environments, by the id of the pair with the project; an empty list means none. */
  readonly envProjectIds?: readonly string[]
  readonly service?: string
  readonly model?: string
  readonly sessionId?: string
  readonly hasError?: boolean
  readonly minDurationMs?: number
  readonly maxDurationMs?: number
}

/** A place between traces in the order of their starts, the newest first: behind this one. */
export type TracePosition = Pick<StoredTrace, 'firstMs' | 'traceId'>

/** Some spans of a trace: the batch they lie in and which of its spans they are. */
export interface TracePlace {
  readonly batchId: number
  readonly units: UnitSet
}

/** A conversation: the traces that share a session id. */
export interface StoredSession {
  readonly sessionId: string
  readonly firstMs: number
  readonly lastMs: number
  readonly traceCount: number
  readonly spanCount: number
  readonly errorCount: number
  readonly modelCalls: number
  readonly promptTokens: number
  readonly completionTokens: number
}

/** What models were used for, in time. */
export interface UsageQuery {
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly bucketMs: number
  readonly envProjectIds?: readonly string[]
  readonly service?: string
  readonly model?: string
  readonly groupBy: readonly ('model' | 'service' | 'environment')[]
}

/** One bucket of one group; the fields that are not grouped by are absent. */
export interface UsageBucket {
  readonly startMs: number
  readonly model: string
  readonly service?: string
  readonly envProjectId?: string
  readonly calls: number
  readonly errors: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly durationP50Ms: number
  readonly durationP95Ms: number
}

/** Traces, sessions and use, confined to a scope like everything a tenant can reach. Nothing here writes. */
export interface TraceStorage {
  /** The newest first, behind a position. */
  listTraces(
    scope: ProjectScope,
    filter: TraceFilter,
    range: { readonly after?: TracePosition; readonly limit: number },
  ): Promise<StoredTrace[]>
  getTrace(scope: ProjectScope, traceId: string): Promise<StoredTrace | undefined>
  /** Where the spans of a trace lie, in the order in which they came; at most that many places. */
  listTracePlaces(scope: ProjectScope, traceId: string, limit: number): Promise<TracePlace[]>
  /** By their newest trace, the newest first; `beforeMs` is how a client pages. */
  listSessions(
    scope: ProjectScope,
    filter: Pick<TraceFilter, 'fromMs' | 'toMs' | 'envProjectIds'>,
    range: {
      readonly after?: { readonly lastMs: number; readonly sessionId: string }
      readonly limit: number
    },
  ): Promise<StoredSession[]>
  /** In order of time, then of model, service and environment; always by model too, because tokens of two models have no price in common. */
  readUsage(scope: ProjectScope, query: UsageQuery): Promise<UsageBucket[]>
}

/** A batch that has not been summed up yet. */
export interface UndigestedBatch extends StoredBatch {
  /** Places of spans that an earlier batch had brought already. */
  readonly repeated: readonly number[]
}

/** Summing up batches in their order. It serves all tenants; each row it touches carries its project. */
export interface DigestStorage {
  /** The next batches; `after` is the last one that was summed up. */
  readUndigested(
    limit: number,
  ): Promise<{ readonly after: number; readonly batches: readonly UndigestedBatch[] }>
  /**
   * Adds the sums to what is stored and moves on, in one transaction. False and nothing written when somebody else has
   * moved on since `after`, so that nothing is counted twice. Traces and sessions that monitors look at as a whole become
   * units, or are opened again; they are looked at when they have been quiet, for `quietMsMin` at least.
   */
  recordDigests(after: number, digests: readonly BatchDigest[], quietMsMin: number): Promise<boolean>
}
