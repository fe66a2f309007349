import type { ClockRecord } from '../domain/believed-time.ts'
import type { UnitOutcome } from '../domain/evaluation.ts'
import type { MonitorPlan, MonitorVersion } from '../domain/monitor.ts'
import type { Setup } from '../domain/setup.ts'
import type { SetupStatus } from '../domain/setup-status.ts'
import type { UnitSet } from '../domain/unit-set.ts'
import type { VerdictRule } from '../domain/verdict.ts'
import type { SpanContent, SpanKey } from './content-storage.ts'
import type { StoredBatch } from './span-storage.ts'

/** A setup held under a lease for binding its entries. */
export interface ClaimedSetup {
  readonly setup: Setup
  readonly setupVersion: number
  /** Fences the lease: a later claim, a PUT or a delete makes it worthless. */
  readonly lease: number
  /** The plans of its entries from an earlier binding of this version; nothing needs to be learned again then. */
  readonly knownPlans: ReadonlyMap<string, MonitorPlan>
}

/** The outcome of one entry. */
export type EntryOutcome =
  | {
      readonly slug: string
      readonly plan: MonitorPlan
      readonly newMonitorId: string
      /** How its scores are judged; not a part of the plan, because it decides no score. */
      readonly verdictRule: VerdictRule
    }
  | {
      readonly slug: string
      readonly errorMessage: string
      /** Whether a span with other attributes could bind it. */
      readonly canHeal: boolean
    }

/** The outcome of a claimed setup. */
export interface SetupOutcome {
  readonly status: Extract<SetupStatus, 'waiting_for_spans' | 'completed' | 'partial' | 'failed'>
  /** The entries that were decided; the others stay as they are. */
  readonly entries: readonly EntryOutcome[]
  /** The last batch whose spans were looked at; later ones are news. */
  readonly lookedThrough: number
  readonly atMs: number
}

/** Spans of one batch that a setup matched. */
export interface MatchedBatch {
  readonly batch: StoredBatch
  readonly units: UnitSet
}

/** Matches of a setup that have not been looked at yet. */
export interface MatchSample {
  /** All matching spans, also those of batches that are not among `batches`. */
  readonly spanCount: number
  /** Spread evenly over what matched. */
  readonly batches: readonly MatchedBatch[]
  readonly through: number
}

/** The evaluators and judges that monitors have to be bound to now. */
export interface CurrentEvaluators {
  /** The version of every built-in evaluator that can run, by slug. */
  readonly versions: Readonly<Record<string, number>>
  /** The judge of built-in evaluators, by organization; organizations that are not in it keep theirs. */
  readonly judges?: Readonly<Record<string, string>>
}

/** For whom a monitor version works. */
export interface MonitorOwner {
  readonly monitorVersion: number
  readonly orgId: string
  readonly projectId: string
  readonly setup: { readonly id: string; readonly externalId: string }
}

/** Work that needs only this machine, or work that waits for the provider of a judge. */
export type WorkKind = 'local' | 'judged'

/**
 * The order of projects, from the caller's record of what each has used. Projects are named by their numbers in the store; those
 * that are not named come first.
 */
export interface ClaimTurns {
  /** Projects that have had more than others, those that are ahead least first. */
  readonly ahead: readonly number[]
  /** Projects that get nothing now. */
  readonly resting: readonly number[]
}

/** The spans of one batch that one monitor version has to evaluate, held under a lease. */
export interface ClaimedWork {
  /** Number of the project in the store; 0 for work that an earlier version has queued, whatever project it is of. */
  readonly project: number
  readonly monitorVersion: number
  readonly batchId: number
  readonly units: UnitSet
  /** 1 for the first try. */
  readonly attempt: number
  readonly lease: number
}

/** The result of a claimed piece of work, or of a part of it. */
export interface WorkRecord {
  readonly work: ClaimedWork
  readonly outcomes: readonly UnitOutcome[]
  /** Units that the sampling rate left out. */
  readonly sampledOut: number
  /** Units that are spans which the monitor skips; absent: none. */
  readonly skipped?: number
  /** The work still to do; absent when the work ends. */
  readonly left?: WorkLeft
}

/** The units of a piece of work that have no outcome yet: held on to under the same lease, or given back. */
export type WorkLeft =
  | { readonly units: UnitSet; readonly holdMs: number }
  | { readonly units: UnitSet; readonly readyInMs: number }

/** The outcome of recording. */
export interface Recorded {
  /** How many evaluations were new. Units that were evaluated before, or deleted meanwhile, give none. */
  readonly evaluations: number
  /** Positions of the records whose lease was no longer valid; nothing of them was written. */
  readonly refused: readonly number[]
}

/** The repairs of the periodic sweep; there should be none. */
export interface SweepFindings {
  /** Matched batches that an active monitor had no work for. */
  readonly missingWork: number
  /** Pieces of work and setups whose lease had run out. */
  readonly staleLeases: number
}

/**
 * The queue and the record. A worker serves all tenants, which is why these methods take no tenant; each row they touch
 * carries its project. Leases run on the store's own clock.
 */
export interface WorkStorage {
  /**
   * For the start of the only process that works on a store: ends every lease that is still held, has failed entries
   * looked at again, and rebinds.
   */
  resume(current: CurrentEvaluators): Promise<void>
  /**
   * Sets back to pending what was bound to another version of an evaluator, built in or custom, or to another judge than
   * there is now. Its monitors stop until they are bound again; what they had not done goes over to their new versions.
   */
  rebind(current: CurrentEvaluators): Promise<void>

  /**
   * Takes setups to be processed: all that are pending and were last written before `writtenBeforeMs`, and those that wait for spans or have failed entries if a span
   * has matched them since they were last looked at. They are in_progress until `finishSetup` or the end of the lease.
   */
  claimSetups(limit: number, leaseMs: number, writtenBeforeMs: number): Promise<ClaimedSetup[]>
  /** The matches of the claimed setup since its spans were last looked at, at most `limit` batches of them. */
  sampleMatches(claim: ClaimedSetup, limit: number): Promise<MatchSample>
  /**
   * Makes the monitors, and the work for what the setup version has matched so far, and sets the states. Where there is
   * a long history, only the newest part of that work is made at once; `fillWork` makes the rest. False and nothing
   * written when the lease is no longer valid.
   */
  finishSetup(claim: ClaimedSetup, outcome: SetupOutcome): Promise<boolean>

  /** Makes more of the work for spans that matched before their monitor existed; true when there is still more. */
  fillWork(): Promise<boolean>

  /**
   * Takes work of active monitors, all the work of a batch together; at most `limit` batches. Projects that have work waiting
   * share the places, in the order of their turns, however much each of them has waiting; of one project the oldest batches
   * come first. Work of jobs is taken only where what came with spans leaves room, and never in the last place: a limit of 1
   * takes none. The cost grows with the number of projects that have work waiting, not with the work.
   */
  claimWork(kind: WorkKind, limit: number, leaseMs: number, turns?: ClaimTurns): Promise<ClaimedWork[]>
  readMonitorVersions(numbers: readonly number[]): Promise<MonitorVersion[]>
  /** The owners of the monitors, in no order. */
  readMonitorOwners(monitorVersions: readonly number[]): Promise<MonitorOwner[]>
  readWorkBatches(batchIds: readonly number[]): Promise<StoredBatch[]>
  /** The events of spans of a project, as `ContentStorage.readContents` gives them. */
  readWorkContents(project: number, spans: readonly SpanKey[]): Promise<SpanContent[]>
  /**
   * Stores evaluations, rollups and the end of the work, or what is left of it, in one transaction. Work whose lease is no longer valid is
   * left out, and so is a unit that was evaluated before, unless the work is a rerun: then the outcome is the next
   * generation of the unit and supersedes the one before.
   */
  recordWork(records: readonly WorkRecord[]): Promise<Recorded>
  /** Gives work back after a fault that may pass; it can be claimed again after the delay. */
  retryWork(work: readonly ClaimedWork[], delayMs: number): Promise<void>

  /** Looks for work that the live path has left undone and repairs it. */
  sweep(): Promise<SweepFindings>
  /**
   * Drops what is older than its organization keeps, and never keeps more than `hoursMax`; in one short step, true when
   * there is more to drop.
   */
  dropExpired(nowMs: number, hoursMax: number): Promise<boolean>
  /**
   * Looks at the clock, compares it with the last look of any process, also of one that has ended, and remembers the outcome:
   * see domain/believed-time.ts. A store that has a clock of its own looks at that one instead of `nowMs`.
   */
  checkClock(nowMs: number, elapsedMs: number): Promise<ClockRecord>
}
