import type { EvaluationStatus } from '../domain/evaluation.ts'
import type { ModelUses } from '../domain/model-use.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import type { BatchDigest } from '../domain/trace-digest.ts'
import type { UnitSet } from '../domain/unit-set.ts'
import type { StoredEvaluation } from './result-storage.ts'
import type { StoredBatch } from './span-storage.ts'

/** A trace as far as its spans have been summed up. An absent field was in none of them. */
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
  readonly models: ModelUses
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
  /** Of any call in it. */
  readonly model?: string
  readonly sessionId?: string
  readonly hasError?: boolean
  readonly minDurationMs?: number
  readonly maxDurationMs?: number
  /** Only traces that have a current evaluation like this, of the trace or of one of its spans. */
  readonly evaluation?: EvaluationCondition
}

/** The conditions on an evaluation; all of them hold together. */
export interface EvaluationCondition {
  readonly slug?: string
  readonly status?: EvaluationStatus
  /** Of the first numeric or boolean output; true is 1. */
  readonly minValue?: number
  readonly maxValue?: number
}

/** A stretch of a list of traces. */
export interface TraceRange {
  /** Only traces behind this one in the chosen order. */
  readonly after?: TracePosition
  /** Absent: the newest first. */
  readonly order?: 'newest' | 'oldest'
  readonly limit: number
}

/**
 * A page. With `next` there may be more behind it, also when the page is not full: a store looks at a limited number of
 * traces for one page, however few of them pass the filter.
 */
export interface TracePage {
  readonly traces: readonly StoredTrace[]
  readonly next?: TracePosition
}

/** A place between traces in the order of their starts: behind this one. */
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
  readonly models: ModelUses
}

/** The query for the use of models over time. */
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
  readonly model?: string
  readonly service?: string
  readonly envProjectId?: string
  /** By model also where that is not grouped by: tokens of two models have no price in common. */
  readonly models: ModelUses
  readonly durationP50Ms: number
  readonly durationP95Ms: number
}

/** The use of models by one session, in the traces that began in one bucket. */
export interface SessionUsageBucket {
  readonly startMs: number
  readonly sessionId: string
  readonly models: ModelUses
}

/** Traces, sessions and use, confined to its tenant like everything else. Nothing here writes. */
export interface TraceStorage {
  /** In order of their starts, then of their ids. */
  listTraces(tenant: ProjectTenant, filter: TraceFilter, range: TraceRange): Promise<TracePage>
  getTrace(tenant: ProjectTenant, traceId: string): Promise<StoredTrace | undefined>
  /** Where the spans of a trace lie, in the order in which they came; at most that many places. */
  listTracePlaces(tenant: ProjectTenant, traceId: string, limit: number): Promise<TracePlace[]>
  /**
   * Current evaluations of traces and of their spans, in the order of recording; at most that many of each trace. With span
   * ids only those of these spans, and those of the traces as a whole.
   */
  listTraceEvaluations(
    tenant: ProjectTenant,
    traceIds: readonly string[],
    options: { readonly spanIds?: readonly string[]; readonly limitEach: number },
  ): Promise<StoredEvaluation[]>
  /** Current evaluations of a session as a whole, in the order of recording; at most that many. */
  listSessionEvaluations(tenant: ProjectTenant, sessionId: string, limit: number): Promise<StoredEvaluation[]>
  /** By their newest trace, the newest first. */
  listSessions(
    tenant: ProjectTenant,
    filter: Pick<TraceFilter, 'fromMs' | 'toMs' | 'envProjectIds' | 'sessionId'>,
    range: {
      readonly after?: { readonly lastMs: number; readonly sessionId: string }
      readonly limit: number
    },
  ): Promise<StoredSession[]>
  /** In order of time, then of model, service and environment. */
  readUsage(tenant: ProjectTenant, query: UsageQuery): Promise<UsageBucket[]>
  /** In order of time, then of session; at most that many. */
  readSessionUsage(
    tenant: ProjectTenant,
    query: Omit<UsageQuery, 'groupBy'>,
    limit: number,
  ): Promise<SessionUsageBucket[]>
}

/** A batch that has not been summed up yet. */
export interface UndigestedBatch extends StoredBatch {
  /** Places of spans that an earlier batch had brought already. */
  readonly repeated: readonly number[]
}

/**
 * A batch that is passed over because it could not be summed up, so that those behind it go on. It is tried again.
 *
 * | state      | what is true                                                                   | tried again          |
 * |------------|--------------------------------------------------------------------------------|----------------------|
 * | waiting    | reading it was cut short by something that need not be the fault of the batch  | within an hour       |
 * | given up   | this version cannot read it, or the store does not take what was made of it    | after a start, daily |
 */
export interface PassedOverBatch {
  readonly batchId: number
  readonly passedOver: {
    readonly reason: string
    readonly isGivenUp: boolean
    readonly retryAtMs: number
  }
}

/** The outcome of one attempt to digest a batch. */
export type DigestOutcome = BatchDigest | PassedOverBatch

/** A batch that was passed over and is due again. */
export interface OverdueBatch extends UndigestedBatch {
  /** How often it was passed over. */
  readonly attempts: number
}

/** A batch of a project that is kept and is in no trace, because it was passed over. */
export interface PassedOverRef {
  readonly batchId: number
  readonly receivedAtMs: number
  readonly isGivenUp: boolean
  readonly reason: string
}

/** Summing up batches in their order. It serves all tenants; each row it touches carries its project. */
export interface DigestStorage {
  /** Whether every batch of the project up to that one, itself included, was summed up, was given up or is gone. */
  isDigested(tenant: ProjectTenant, throughBatch: number): Promise<boolean>
  /**
   * The next batches to be summed up, at most that many and that many bytes, but one at least; `after` is the last one that
   * was. A store that several processes work on may hand out one project at a time, and to one process at a time.
   */
  readUndigested(
    limit: number,
    bytesMax?: number,
  ): Promise<{ readonly after: number; readonly batches: readonly UndigestedBatch[] }>
  /**
   * Adds the sums to what is stored, notes the batches that are passed over, and moves on. False when another process has moved
   * on since `after`. When it is cut off it may have moved on in part; nothing is counted twice when it is done again. Traces and sessions that
   * monitors look at as a whole become units, or are opened again; they are looked at when they have been quiet, for
   * `quietMsMin` at least. Rejects with `RefusedData` when the store works and cannot hold these values.
   */
  recordDigests(after: number, outcomes: readonly DigestOutcome[], quietMsMin: number): Promise<boolean>
  /** Batches that were passed over and are due by that time, the longest overdue first; limited as above. */
  readOverdue(nowMs: number, limit: number, bytesMax?: number): Promise<readonly OverdueBatch[]>
  /** As `recordDigests` for a batch that was passed over. False when another process has summed it up or it is gone. */
  recordOverdue(outcome: DigestOutcome, quietMsMin: number): Promise<boolean>
  /** Makes every batch that was given up due: a new version may be able to read it. */
  retryGivenUp(): Promise<void>
}
