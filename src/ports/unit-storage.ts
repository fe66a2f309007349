import type { UnitOutcome } from '../domain/evaluation.ts'
import type { StoredTrace, TracePlace } from './trace-storage.ts'
import type { ClaimTurns, MonitorOwner } from './work-storage.ts'

/** A trace or a session that a monitor has to evaluate as a whole, held under a lease. */
export interface ClaimedUnit {
  /** Number of the project in the store. */
  readonly project: number
  readonly monitorVersion: number
  readonly scope: 'trace' | 'session'
  /** The trace id in hex, or the session id. */
  readonly key: string
  readonly owner: MonitorOwner & { readonly envProjectId: string }
  /** When its newest span arrived. */
  readonly changedAtMs: number
  /** When it was opened, or opened again. */
  readonly openedAtMs: number
  /** 1 for the first try since it was opened. */
  readonly attempt: number
  readonly lease: number
}

/** The content of a unit. */
export interface UnitContent {
  /** One for a trace; those of a session in the order in which they began. */
  readonly traces: readonly StoredTrace[]
  /** Where their spans lie, trace by trace; only the newest part of very many. */
  readonly places: readonly (TracePlace & { readonly traceId: string })[]
  /** The longest pause that the service of the newest trace was seen to make lately; absent before the first. */
  readonly longestPauseMs?: number
}

/** The units of monitors that look at more than one span. Like the rest of the queue it serves all tenants. */
export interface UnitStorage {
  /**
   * Takes units of active monitors that should be looked at now. Projects share the places in the order of their turns; of one
   * project those units come first that have waited longest.
   */
  claimUnits(limit: number, leaseMs: number, turns?: ClaimTurns): Promise<ClaimedUnit[]>
  /** `tracesMax` and `placesMax` bound what is read of a very long session or trace; the newest are kept. */
  readUnit(unit: ClaimedUnit, tracesMax: number, placesMax: number): Promise<UnitContent>
  /**
   * Stores the evaluation as the next generation of the unit; the one before is superseded. A unit that got another span
   * meanwhile is open again afterwards. False and nothing written when the lease is no longer valid.
   */
  recordUnit(unit: ClaimedUnit, outcome: UnitOutcome): Promise<boolean>
  /** Ends the unit without an evaluation, because the sampling rate leaves it out; counted at that time, once. */
  skipUnit(unit: ClaimedUnit, atMs: number): Promise<void>
  /** Gives the unit back to be looked at later. `isAttempt` false: nothing was tried, it was only not ready. */
  postponeUnit(unit: ClaimedUnit, inMs: number, isAttempt: boolean): Promise<void>
}
