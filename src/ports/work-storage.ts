import type { UnitOutcome } from '../domain/evaluation.ts'
import type { MonitorPlan, MonitorVersion } from '../domain/monitor.ts'
import type { Setup } from '../domain/setup.ts'
import type { SetupStatus } from '../domain/setup-status.ts'
import type { UnitSet } from '../domain/unit-set.ts'
import type { StoredBatch } from './span-storage.ts'

/** A setup held under a lease for binding its entries. */
export interface ClaimedSetup {
  readonly setup: Setup
  readonly setupVersion: number
  /** Fences the lease: a later claim, a PUT or a delete makes it worthless. */
  readonly lease: number
  /** Matching spans were already looked at up to this batch. */
  readonly lookedThrough: number
}

/** What became of one entry. */
export type EntryOutcome =
  | { readonly slug: string; readonly plan: MonitorPlan; readonly newMonitorId: string }
  | { readonly slug: string; readonly errorMessage: string }

/** What became of a claimed setup. */
export interface SetupOutcome {
  readonly status: Extract<SetupStatus, 'waiting_for_spans' | 'completed' | 'partial' | 'failed'>
  /** The entries that were decided; the others stay as they are. */
  readonly entries: readonly EntryOutcome[]
  readonly lookedThrough: number
  readonly atMs: number
}

/** Spans of one batch that a setup matched. */
export interface MatchedBatch {
  readonly batch: StoredBatch
  readonly units: UnitSet
}

/** The spans of one batch that one monitor version has to evaluate, held under a lease. */
export interface ClaimedWork {
  readonly monitorVersion: number
  readonly batchId: number
  readonly units: UnitSet
  /** 1 for the first try. */
  readonly attempt: number
  readonly lease: number
}

/** What a claimed piece of work gave. */
export interface WorkRecord {
  readonly work: ClaimedWork
  readonly outcomes: readonly UnitOutcome[]
  /** Units that the sampling rate left out. */
  readonly sampledOut: number
}

/** What the periodic sweep had to mend; it should be nothing. */
export interface SweepFindings {
  /** Matched batches that an active monitor had no work for. */
  readonly missingWork: number
  /** Pieces of work and setups whose lease had run out. */
  readonly staleLeases: number
}

/**
 * The queue and the record. A worker serves all tenants, which is why these methods take no scope; each row they touch
 * carries its project. Leases run on the store's own clock.
 */
export interface WorkStorage {
  /** Ends every lease that is still held; for a store that only one process works on, at its start. */
  voidLeases(): Promise<void>

  /**
   * Takes setups to be processed: all that are pending, and those that wait for spans or have failed entries if a span
   * has matched them since they were last looked at. They are in_progress until `finishSetup` or the end of the lease.
   */
  claimSetups(limit: number, leaseMs: number): Promise<ClaimedSetup[]>
  /** Batches with spans that the setup version matched, behind `afterBatch`, oldest first. */
  listMatches(setupVersion: number, afterBatch: number, limit: number): Promise<MatchedBatch[]>
  /**
   * Makes the monitors and the work for everything the setup version has matched so far, and sets the states. False and
   * nothing written when the lease is no longer valid.
   */
  finishSetup(claim: ClaimedSetup, outcome: SetupOutcome): Promise<boolean>

  /** Takes work of active monitors, oldest batches first, all the work of a batch together; at most `limit` batches. */
  claimWork(limit: number, leaseMs: number): Promise<ClaimedWork[]>
  readMonitorVersions(numbers: readonly number[]): Promise<MonitorVersion[]>
  readWorkBatches(batchIds: readonly number[]): Promise<StoredBatch[]>
  /**
   * Stores evaluations, rollups and the end of the work in one transaction. Work whose lease is no longer valid is
   * left out, and so is a unit that was evaluated before. Answers how many evaluations were new.
   */
  recordWork(records: readonly WorkRecord[]): Promise<number>
  /** Gives work back after a fault that may pass; it can be claimed again after the delay. */
  retryWork(work: readonly ClaimedWork[], delayMs: number): Promise<void>

  /** Looks for what the live path has left undone and mends it. */
  sweep(): Promise<SweepFindings>
  /** Drops what is older than its organization keeps, in one short step; true when there is more to drop. */
  dropExpired(nowMs: number): Promise<boolean>
}
