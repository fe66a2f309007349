import type { OutcomeStatus } from './evaluation.ts'

/**
 * | state     | true in it                                            | leaves when                                      |
 * |-----------|-------------------------------------------------------|--------------------------------------------------|
 * | queued    | stored; nothing was looked at yet                     | its first turn comes, or it is cancelled         |
 * | running   | goes over what is stored, or waits for the evaluation | everything was evaluated, cancelled, cannot go on |
 * | done      | everything was looked at and evaluated                | never                                            |
 * | cancelled | a user ended it; what it had evaluated stays          | never                                            |
 * | failed    | `errorMessage` says why it could not go on            | never                                            |
 */
export const JOB_STATES = ['queued', 'running', 'done', 'cancelled', 'failed'] as const
export type JobState = (typeof JOB_STATES)[number]

/** The statuses that an evaluation can have when it gave no score; what a rerun means unless it is told otherwise. */
export const FAILED_STATUSES = [
  'error',
  'unparseable',
  'refused',
  'over_budget',
  'abstained',
  'missing_input',
] as const satisfies readonly OutcomeStatus[]

/** Evaluate stored spans with the monitors of a setup, as if they came now. */
export interface BackfillRequest {
  readonly kind: 'backfill'
  readonly externalId: string
  /** By the arrival of the spans. */
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  /** Most spans or traces that are evaluated; the newest are taken first. */
  readonly limit: number
  /**
   * The unit that the limit counts; absent: spans. A trace counts once, in whatever batches its spans came, and only where one of them
   * is a call of a model, a tool or an agent.
   */
  readonly limitBy?: 'traces'
  /** Only spans of this trace, 32 lower-case hex digits; absent: of all. */
  readonly traceId?: string
  /** The share of traces; the sampling rates of the evaluators hold too. */
  readonly samplingRate: number
}

/** Evaluate units again whose evaluation all conditions hold for. */
export interface RerunRequest {
  readonly kind: 'rerun'
  readonly statuses: readonly OutcomeStatus[]
  readonly slug?: string
  readonly evaluatorVersion?: number
  readonly monitorId?: string
  readonly externalId?: string
  readonly traceId?: string
  /** By the time of recording. */
  readonly fromMs?: number
  /** Not included. */
  readonly toMs?: number
  /** Most evaluations that are made again; the oldest are taken first. */
  readonly limit: number
}

/** The request that a job carries out. */
export type JobRequest = BackfillRequest | RerunRequest

/** A job and how far it has come. */
export interface Job {
  /** Grows in the order of creation. */
  readonly number: number
  readonly id: string
  readonly request: JobRequest
  readonly state: JobState
  /** Spans, or evaluations, that were looked at. */
  readonly lookedAt: number
  /** Those among them that are meant. */
  readonly matched: number
  /** Spans, traces or evaluations that there was something to do for: the number that the limit holds. */
  readonly taken: number
  /** Evaluations of spans that were asked for; one span may need several. Traces and sessions are not counted. */
  readonly queued: number
  /** Those among them that were made. */
  readonly evaluated: number
  /** Those that the sampling rate of a monitor left out. */
  readonly sampledOut: number
  /** Units among them that are spans which their monitor skips. */
  readonly skipped: number
  /** Whether there may have been more than its limit. */
  readonly isLimitReached: boolean
  readonly errorMessage?: string
  readonly createdAtMs: number
  readonly finishedAtMs?: number
}
