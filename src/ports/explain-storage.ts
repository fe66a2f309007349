import type { EvaluationOutput, EvaluationStatus } from '../domain/evaluation.ts'
import type { EvaluationScope } from '../domain/evaluator.ts'
import type { SelectorRule } from '../domain/selector.ts'
import type { EvaluatorConfig, SetupEntry } from '../domain/setup.ts'
import type { SetupStatus } from '../domain/setup-status.ts'
import type { SkippedSpans } from '../domain/span-role.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import type { Verdict, VerdictRule } from '../domain/verdict.ts'
import type { PassedOverRef } from './trace-storage.ts'

/** A span that is to be explained, and where it lies. */
export interface ExplainedSpan {
  readonly batchId: number
  readonly ordinal: number
  readonly traceId: string
  readonly spanId: string
}

/** The setups that are to be explained: those of the span's environment, or all that ever had one external id. */
export interface ExplainedRange {
  readonly externalId?: string
  /** Only setups behind this one in the order of their creation. */
  readonly afterSetupId?: string
  readonly limit: number
}

/** A setup's selector and evaluators when the span arrived. */
export interface DecidingVersion {
  readonly version: number
  readonly selector: readonly SelectorRule[]
  readonly evaluators: readonly EvaluatorConfig[]
}

/** The work of a monitor version on the batch of the span. */
export interface UnitWork {
  readonly state: 'ready' | 'leased' | 'done' | 'cancelled'
  /** Whether the span is among the units that the work still has, or had when it ended. */
  readonly hasUnit: boolean
  readonly attempts: number
  /** Not to be taken before. */
  readonly readyAtMs: number
  /** The end of its lease; absent unless it is leased. */
  readonly leaseUntilMs?: number
}

/** The trace or session of the span, as what a monitor that looks at more than one span has to evaluate. */
export interface GatheredUnit {
  readonly scope: 'trace' | 'session'
  readonly state: 'open' | 'leased' | 'done'
  readonly isSampledOut: boolean
  /** When its newest span arrived. */
  readonly changedAtMs: number
  /** When it is to be looked at, if nothing more arrives. */
  readonly lookAtMs: number
  readonly attempts: number
  /** The end of its lease; absent unless it is leased. */
  readonly leaseUntilMs?: number
}

/** The current evaluation of the unit by one monitor version. */
export interface UnitEvaluation {
  readonly number: number
  readonly status: EvaluationStatus
  readonly generation: number
  readonly output?: EvaluationOutput
  /** Present where it was scored, once it was derived. */
  readonly verdict?: Verdict
  /** The rule of its monitor. */
  readonly verdictRule?: VerdictRule
  readonly errorMessage?: string
  readonly createdAtMs: number
}

/**
 * The part that one version of a monitor has had in the span; only versions that had one, and the one that is current.
 */
export interface MonitorDecision {
  readonly slug: string
  readonly monitorId: string
  /** Of the monitor. */
  readonly version: number
  readonly scope: EvaluationScope
  readonly samplingRate: number
  readonly judge?: string
  readonly skips?: SkippedSpans
  /** Whether the monitor works with this version now. */
  readonly isActive: boolean
  /** Whether it belongs to the version of the setup that decided about the span, as far as that is still known. */
  readonly isOfDecision: boolean
  /** Absent where the scope is not a span, and where there is none. */
  readonly work?: UnitWork
  /** Absent where the scope is a span, and where there is none. */
  readonly unit?: GatheredUnit
  readonly evaluation?: UnitEvaluation
}

/** How a setup stands to a stored span. */
export interface SetupDecision {
  readonly setupId: string
  readonly externalId: string
  readonly environment: string
  readonly isOfSameEnvironment: boolean
  /** Absent when the setup had no version at the time: it was made later, or was gone already. */
  readonly decidedBy?: DecidingVersion
  /** Whether it had been deleted by the time the span was decided. */
  readonly isGone: boolean
  /** The decision stored when the span arrived, or by the backfill. */
  readonly isMatched: boolean
  /** Whether the match was made by a backfill, long after the span had arrived; `decidedBy` is then its version. */
  readonly isBackfilled: boolean
  /** The newest version there is. */
  readonly currentVersion: number
  readonly status: SetupStatus
  /** Of the newest version. */
  readonly entries: readonly SetupEntry[]
  readonly createdAtMs: number
  readonly deletedAtMs?: number
  readonly monitors: readonly MonitorDecision[]
}

/** The decisions about one span. */
export interface SpanDecisions {
  readonly environment: string
  readonly receivedAtMs: number
  readonly setups: readonly SetupDecision[]
}

/** A stored batch without its bytes. */
export interface BatchRef {
  readonly batchId: number
  readonly receivedAtMs: number
  readonly spanCount: number
  readonly byteLength: number
  /** Places of spans that an earlier batch had brought already. */
  readonly repeated: readonly number[]
}

/** Batches of one environment by their arrival. */
export interface BatchRange {
  readonly envProjectId: string
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  /** Only batches behind this one. */
  readonly after?: Pick<BatchRef, 'batchId' | 'receivedAtMs'>
  readonly limit: number
}

/** The decisions about stored spans, confined to its tenant like everything else. Nothing here writes. */
export interface ExplainStorage {
  /**
   * In order of the setups' creation: those that had a version when the batch was decided, also when they are deleted by
   * now, and those that were made later and exist. Undefined when the project has no such batch.
   */
  readDecisions(
    tenant: ProjectTenant,
    span: ExplainedSpan,
    range: ExplainedRange,
  ): Promise<SpanDecisions | undefined>
  /**
   * Batches of the project that are not summed up yet, so that their spans are in no trace; the newest first. Without those that
   * were given up.
   */
  listUndigestedBatches(tenant: ProjectTenant, limit: number): Promise<BatchRef[]>
  /** Batches of the project that the digest has passed over, the newest first. */
  listPassedOver(tenant: ProjectTenant, limit: number): Promise<PassedOverRef[]>
  /** The newest first. */
  listBatches(tenant: ProjectTenant, range: BatchRange): Promise<BatchRef[]>
}
