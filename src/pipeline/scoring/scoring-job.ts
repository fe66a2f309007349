import type { UnitOutcome } from '../../domain/evaluation.ts'
import type { MonitorVersion } from '../../domain/monitor.ts'
import type { UnitSet } from '../../domain/unit-set.ts'
import type { SpanContent } from '../../ports/content-storage.ts'
import type { StoredBatch } from '../../ports/span-storage.ts'

/** The spans of a batch that one monitor version has to evaluate. */
export interface ScoringWork {
  readonly version: MonitorVersion
  readonly units: UnitSet
}

/** All the work of one batch. */
export interface ScoringJob {
  /** Number of the project in the store; projects take turns. */
  readonly project: number
  readonly batch: StoredBatch
  readonly works: readonly ScoringWork[]
  /** Log events that belong to its spans. */
  readonly contents?: readonly SpanContent[]
}

/** The result of one piece of work. Its units are outcomes, sampled out, skipped, or lost: each is one of these, and once. */
export interface WorkScores {
  readonly outcomes: readonly UnitOutcome[]
  /** Units that the sampling rate left out. */
  readonly sampledOut: number
  /** Units that are spans which the monitor skips. */
  readonly skipped: number
  /** Units without a span: the batch cannot be read, or has fewer. They have no ids, and so no outcome. */
  readonly lost: number
  /** Why units were lost. */
  readonly lossReason?: string
}

/**
 * A part of a job that must not be tried again, because it has ended a thread: a unit of one piece of work; without
 * `work`, a span that cannot be read; without `ordinal`, the batch.
 */
export interface Poison {
  readonly ordinal?: number
  /** Place of the work in the job. */
  readonly work?: number
  /** The message recorded instead of a score. */
  readonly message: string
}

/** Where a job is taken up; after a thread was lost, behind what it had handed over. */
export interface ScoringStart {
  /** All units of spans before this one are finished. */
  readonly from: number
  readonly poisoned: readonly Poison[]
  /** Time that each piece of work has used so far. */
  readonly usedMs: readonly number[]
}

/** The units finished since the last part: all those of spans before `upTo`. */
export interface ScoresPart {
  readonly upTo: number
  /** In the order of the job's works. */
  readonly scores: readonly WorkScores[]
  readonly usedMs: readonly number[]
}

/** The current place: a unit of a piece of work, a span for all of them, or the batch. */
export interface ScoringPlace {
  readonly ordinal: number
  readonly work: number
}

/** In a place: a span is being read, which every piece of work needs. */
export const EVERY_WORK = -1
/** In a place: no span is in hand; the batch is being opened, or scores are being handed over. */
export const NO_SPAN = -1
