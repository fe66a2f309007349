import type { TraceDigest } from '../domain/trace-digest.ts'
import type { UnitSet } from '../domain/unit-set.ts'
import type { UndigestedBatch } from './trace-storage.ts'

/** A stored batch with what refers to it, all on one state of the store. */
export interface VerifiedBatch extends UndigestedBatch {
  readonly projectNumber: number
  readonly spanCount: number
  /** CRC-32 of its bytes; absent for batches that older versions have stored. */
  readonly checksum?: number
  readonly digest: 'done' | 'waiting' | 'given_up'
  /** Places of spans that are about to be erased. */
  readonly erased: readonly number[]
  /** Which of its spans belong to which trace, as it was summed up. */
  readonly places: readonly { readonly traceId: string; readonly units: UnitSet }[]
}

/** A span of a batch, as the index has to know it. */
export interface IndexedSpan {
  readonly ordinal: number
  readonly second: number
  readonly traceId: string
  readonly spanId: string
}

/** A relation between tables that can be checked by the store itself. */
export interface RelationCheck {
  readonly name: string
  /** The fault, in words that follow a number. */
  readonly words: string
  readonly isRepairable: boolean
}

/** A slice of a relation: how many rows were looked at and how many of them are wrong; `next` asks for the rest. */
export interface RelationSlice {
  readonly checked: number
  readonly wrong: number
  readonly repaired: number
  readonly next?: string
}

/** A trace whose sums do not fit its places. */
export interface WrongTrace {
  readonly projectNumber: number
  readonly traceId: string
}

/** Sums of a monitor version that do not fit its evaluations. */
export interface WrongRollups {
  readonly monitorVersion: number
  readonly minutes: readonly number[]
}

/**
 * Looking through the whole store, slice by slice, while it is in use. Every call is short and sees one state of the store.
 * Nothing is written unless a method says so. It serves all tenants, and shows no content of theirs.
 */
export interface VerificationStorage {
  /** The nth part of the pages of the store; undefined when there is none. */
  checkPages(
    part: number,
  ): Promise<{ readonly what: string; readonly problems: readonly string[] } | undefined>
  /** The next batches by number, at most that many and that many bytes, but one at least. */
  readBatches(after: number, limit: number, bytesMax: number): Promise<readonly VerifiedBatch[]>
  /** Spans of the batch that the index does not have, or has at another place. */
  findUnindexed(batch: VerifiedBatch, spans: readonly IndexedSpan[]): Promise<readonly IndexedSpan[]>
  /** Writes: adds spans to the index; those that it has at another place stay there. Tells how many it added. */
  index(batch: VerifiedBatch, spans: readonly IndexedSpan[]): Promise<number>
  /** Writes: has the batch summed up again, which is in no trace. False when it is in one, or is gone. */
  digestAgain(batchId: number, reason: string): Promise<boolean>
  readonly relations: readonly RelationCheck[]
  /** Writes where it is to repair. */
  checkRelation(name: string, from: string | undefined, isRepairing: boolean): Promise<RelationSlice>
  /** The next traces, in an order of the store's, and those among them whose count of spans is wrong. */
  checkTraces(
    from: string | undefined,
  ): Promise<{ readonly checked: number; readonly wrong: readonly WrongTrace[]; readonly next?: string }>
  /** The batches that a trace lies in, at most that many. */
  readTraceBatches(trace: WrongTrace, limit: number): Promise<readonly VerifiedBatch[]>
  /**
   * Writes: puts together a trace from what these batches say about it. `from` are the batches that it lay in when they were
   * read; false and nothing written when it lies in others by now.
   */
  rebuildTrace(
    trace: WrongTrace,
    from: readonly number[],
    said: readonly { readonly batchId: number; readonly digest: TraceDigest }[],
  ): Promise<boolean>
  /** Monitor versions that have counts, in order. */
  listMonitorVersions(after: number, limit: number): Promise<readonly number[]>
  /**
   * Minutes from that time on, and older than the newest evaluations, whose counts or values do not fit the evaluations of a
   * monitor version. Evaluations recorded meanwhile may show once; a minute that shows twice is wrong.
   */
  checkRollups(
    monitorVersion: number,
    hoursMax: number,
    nowMs: number,
  ): Promise<{ readonly checked: number; readonly minutes: readonly number[] }>
  /** Writes: counts the evaluations of a monitor version in a minute again. */
  rebuildRollups(monitorVersion: number, minute: number): Promise<void>
  /** Writes: true when no other process has begun within that time, and this call now has; for passes that one process makes for all. */
  begin(nowMs: number, pauseMs: number): Promise<boolean>
  /** Writes down what a pass has found. */
  end(startedAtMs: number, endedAtMs: number, findings: string): Promise<void>
}
