import type { EvaluationOutput, EvaluationStatus } from '../domain/evaluation.ts'
import type { EvaluationScope } from '../domain/evaluator.ts'
import type { Judgement } from '../domain/judgement.ts'
import type { MonitorVersion } from '../domain/monitor.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import type { Verdict, VerdictRule } from '../domain/verdict.ts'

/** The result of evaluating one unit, with its monitor and unit. */
export interface StoredEvaluation {
  /** Grows in the order of recording. */
  readonly number: number
  readonly monitorId: string
  /** Of the setup, also when it has been deleted since. */
  readonly externalId: string
  readonly envProjectId: string
  readonly environment: string
  readonly slug: string
  readonly scope: EvaluationScope
  /** Of the monitor. */
  readonly version: number
  readonly traceId: string
  /** Absent where the unit is more than one span. */
  readonly spanId?: string
  readonly sessionId?: string
  /** The name of its application; absent where it has none, or was recorded before applications were kept. */
  readonly application?: string
  /** `superseded` for everything but the current generation. */
  readonly status: EvaluationStatus
  readonly generation: number
  readonly output?: EvaluationOutput
  /** Present exactly where the evaluator answered, once it was derived. */
  readonly verdict?: Verdict
  /** The rule of its monitor. */
  readonly verdictRule?: VerdictRule
  readonly errorMessage?: string
  readonly batchId: number
  readonly ordinal: number
  readonly unitAtMs: number
  readonly durationUs: number
  /** The judge of the monitor. */
  readonly judge?: string
  readonly judgement?: Judgement
  readonly createdAtMs: number
}

/** One evaluation with everything that decided it. */
export interface EvaluationDetail extends StoredEvaluation {
  readonly monitorVersion: MonitorVersion
  /** When the unit's spans arrived; absent once they are no longer kept. */
  readonly receivedAtMs?: number
}

/** Which evaluations are meant; all conditions hold together. */
export interface EvaluationFilter {
  readonly externalId?: string
  readonly monitorId?: string
  readonly slug?: string
  /** Environments by slug; an empty list means none. */
  readonly environments?: readonly string[]
  readonly status?: EvaluationStatus
  readonly verdict?: Verdict
  /** By name; one that is not known has no evaluations. */
  readonly application?: string
  readonly minValue?: number
  readonly maxValue?: number
  /** By time of recording. */
  readonly fromMs?: number
  /** Not included. */
  readonly toMs?: number
  /** By the start of the unit, as charts count. */
  readonly unitFromMs?: number
  /** Not included. */
  readonly unitToMs?: number
  readonly traceId?: string
  readonly spanId?: string
  /** Whether a person has annotated the unit, naming the evaluator. */
  readonly isReviewed?: boolean
  /** Only where the output has this field. */
  readonly property?: string
  /** Generations that were superseded, too. */
  readonly withHistory?: boolean
}

/**
 * A stretch of a list: how long, in which direction, and behind which evaluation. With the oldest first, a reader that goes on behind a
 * page misses nothing: an evaluation is only shown when none with a smaller number can still be recorded.
 */
export interface EvaluationRange {
  readonly order: 'newest' | 'oldest'
  readonly afterNumber?: number
  readonly limit: number
  /** The same for the newest first: what is recorded later has larger numbers and was not recorded at an earlier time. */
  readonly isSettled?: boolean
}

/**
 * A page. With `nextAfter` there may be more behind it, also when the page is not full: a store looks at a limited number
 * of evaluations for one page, however few of them pass the filter.
 */
export interface EvaluationPage {
  readonly evaluations: readonly StoredEvaluation[]
  readonly nextAfter?: number
}

/** Which monitors are meant; all conditions hold together. */
export interface MonitorFilter {
  readonly externalId?: string
  readonly slug?: string
  readonly isActive?: boolean
}

/** A version of a monitor and when it was first made. */
export interface DatedVersion extends MonitorVersion {
  readonly createdAtMs: number
}

/** A message that recent evaluations of a monitor ended with, and how often. */
export interface ErrorCount {
  readonly status: EvaluationStatus
  readonly message: string
  readonly count: number
  readonly lastAtMs: number
}

/** A monitor, what it does and how it fares. */
export interface StoredMonitor {
  /** Grows in the order of creation. */
  readonly number: number
  readonly id: string
  readonly externalId: string
  readonly envProjectId: string
  readonly isActive: boolean
  readonly current: DatedVersion
  /** The newest first, and only the newest of very many. */
  readonly versions: readonly DatedVersion[]
  /** Units of all versions by what came of them; only statuses that occurred. */
  readonly counts: Readonly<Partial<Record<EvaluationStatus, number>>>
  /** When its newest evaluation was recorded. */
  readonly lastRunAtMs?: number
  /** The most frequent messages among its newest evaluations. */
  readonly errors: readonly ErrorCount[]
  readonly verdictRule?: VerdictRule
  /** How far judging stored evaluations by that rule has come, 0 to 1; absent when it is done. */
  readonly verdictProgress?: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** The query for a chart of one output property of one monitor. */
export interface SeriesQuery {
  readonly monitorId: string
  readonly property: string
  /** Whole minutes; a multiple of the bucket. */
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly bucketMs: number
  /** Absent: all versions, each with buckets of its own. */
  readonly version?: number
  /** The share whose quantile is wanted; absent: none, which spares reading the histograms. */
  readonly quantile?: number
}

/** One bucket of one version: what was scored in it, and what came of all its units. Only buckets with units exist. */
export interface SeriesBucket {
  readonly startMs: number
  readonly version: number
  /** Numbers of the property; 0 when nothing was scored, and then nothing below is there. */
  readonly count: number
  readonly sum?: number
  readonly min?: number
  readonly max?: number
  readonly quantile?: number
  /** Counts of texts, for a property that holds texts. */
  readonly labels?: Readonly<Record<string, number>>
  readonly byStatus: Readonly<Partial<Record<EvaluationStatus, number>>>
}

/** Which values are looked at together: those of one output property of one version of a monitor. */
export interface DistributionQuery {
  readonly monitorId: string
  readonly version: number
  readonly property: string
  /** Whole minutes. */
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
}

/** How values are spread. */
export interface Distribution {
  /** Numbers, booleans among them as 0 and 1; 0 when there are none, and then nothing about numbers is there. */
  readonly count: number
  readonly sum?: number
  readonly min?: number
  readonly max?: number
  /** The bytes of a `ValueSketch`. */
  readonly sketch?: Uint8Array
  /** Counts of texts, for a property that holds texts. */
  readonly labels?: Readonly<Record<string, number>>
}

/** How far evaluating has come. Only spans that an active monitor still has to evaluate count as waiting. */
export interface Progress {
  readonly waitingSpans: number
  /** When the oldest waiting span arrived. */
  readonly oldestWaitingMs?: number
  /** When the newest span arrived, waiting or not. */
  readonly latestSpanMs?: number
  /** When the newest evaluation was recorded. */
  readonly latestEvaluationMs?: number
}

/** The results of evaluating, confined to its tenant like everything else. Nothing here writes. */
export interface ResultStorage {
  listEvaluations(
    tenant: ProjectTenant,
    filter: EvaluationFilter,
    range: EvaluationRange,
  ): Promise<EvaluationPage>
  getEvaluation(tenant: ProjectTenant, number: number): Promise<EvaluationDetail | undefined>
  /** In order of creation, behind the monitor `afterNumber`; stopped ones too. */
  listMonitors(
    tenant: ProjectTenant,
    filter: MonitorFilter,
    range: { readonly afterNumber?: number; readonly limit: number },
  ): Promise<StoredMonitor[]>
  getMonitor(tenant: ProjectTenant, monitorId: string): Promise<StoredMonitor | undefined>
  /** From rollups alone, in order of time, then of version; nothing for a monitor of another tenant. */
  readSeries(tenant: ProjectTenant, query: SeriesQuery): Promise<SeriesBucket[]>
  /** From rollups alone; that of no values for a monitor of another tenant. */
  readDistribution(tenant: ProjectTenant, query: DistributionQuery): Promise<Distribution>
  /** Of one environment, or of all. */
  readProgress(tenant: ProjectTenant, envProjectId?: string): Promise<Progress>
}
