import { isSampled } from '../../domain/sampling.ts'
import type { SkippedSpans } from '../../domain/span-role.ts'
import {
  addUnits,
  commonUnits,
  countUnits,
  emptyUnits,
  listUnits,
  removeUnit,
  removeUnits,
  type UnitSet,
} from '../../domain/unit-set.ts'
import type { DecidedBatch } from '../../ports/job-storage.ts'
import { IDS_BYTES, TRACE_ID_BYTES } from './span-rows.ts'
import { WORK_STATE } from './work-state.ts'

/** A monitor that a backfill makes work for. */
export interface BackfillMonitor {
  version_number: number
  sampling_rate: number
  skips: SkippedSpans | null
  is_judged: number
  is_gathered: number
  fill_next: number
  fill_last: number
}

/** Work that there is for a batch and a monitor version. */
export interface KnownWork {
  readonly state: number
  readonly units: UnitSet
}

/** The earlier decision about a batch and the setup version; `job_number` is 0 when it was made as the spans came. */
export interface KnownMatch {
  readonly units: UnitSet
  readonly job_number: number
}

/** The spans of a batch that one monitor has to evaluate. */
export interface Undone {
  readonly monitor: BackfillMonitor
  readonly units: UnitSet
}

/** The trace and the span id of one span of a batch. */
export function idsAt({ ids }: DecidedBatch, ordinal: number): { traceId: Uint8Array; spanId: Uint8Array } {
  const at = ordinal * IDS_BYTES
  return {
    traceId: ids.subarray(at, at + TRACE_ID_BYTES),
    spanId: ids.subarray(at + TRACE_ID_BYTES, at + IDS_BYTES),
  }
}

/** The spans that the monitor has neither evaluated nor left out by its sampling rate, nor skips, and that wait nowhere. */
export function undoneUnits(
  batch: DecidedBatch,
  monitor: BackfillMonitor,
  known: KnownMatch | undefined,
  works: readonly KnownWork[],
  isEvaluated: (ordinal: number) => boolean,
): UnitSet {
  const { batchId, units } = batch
  // Spans that matched before the monitor existed get their work from the fill, not from this job.
  if (known?.job_number === 0 && monitor.fill_next <= batchId && batchId <= monitor.fill_last)
    return emptyUnits(0)
  const undone = units.slice()
  if (batch.skipped && isSkipping(monitor, batch)) removeUnits(undone, batch.skipped.units)
  for (const work of works) if (work.state < WORK_STATE.done) removeUnits(undone, work.units)
  // Where there never was any work, nothing was evaluated.
  if (works.length === 0) return undone
  const wasCounted = works.some(({ state }) => state === WORK_STATE.done)
  for (const ordinal of listUnits(undone)) {
    const isLeftOut = wasCounted && !isSampled(idsAt(batch, ordinal).traceId, monitor.sampling_rate)
    if (isLeftOut || isEvaluated(ordinal)) removeUnit(undone, ordinal)
  }
  return undone
}

/** The spans of a batch that there is something to do for, at most `room` of them. */
export function wantedUnits(
  batch: DecidedBatch,
  undone: readonly Undone[],
  known: KnownMatch | undefined,
  /** Whether spans without a decision are wanted too, because units or bindings come of the decision. */
  wantsDecisions: boolean,
  room: number,
): UnitSet {
  const wanted = emptyUnits(batch.spanCount)
  for (const { units } of undone) addUnits(wanted, units)
  if (wantsDecisions) {
    const undecided = batch.units.slice()
    if (known) removeUnits(undecided, known.units)
    addUnits(wanted, undecided)
  }
  for (const ordinal of listUnits(wanted).slice(room)) removeUnit(wanted, ordinal)
  return wanted
}

/** Whether a monitor skips what was found to be skipped; one that was bound by earlier rules may skip other spans. */
function isSkipping({ skips }: BackfillMonitor, { skipped }: DecidedBatch): boolean {
  return skips !== null && skips === skipped?.by
}

/**
 * The new decision about the batch; undefined where there is nothing new, or the decision that was made when the spans came holds.
 * Spans that monitors skip are a part of it, so that they are explained like others that match.
 */
export function decisionOf(
  batch: DecidedBatch,
  wanted: UnitSet,
  monitors: readonly BackfillMonitor[],
  known: KnownMatch | undefined,
): UnitSet | undefined {
  if (known?.job_number === 0) return undefined
  const all = wanted.slice()
  if (batch.skipped && monitors.some((monitor) => isSkipping(monitor, batch)))
    addUnits(all, commonUnits(batch.units, batch.skipped.units))
  if (known) addUnits(all, known.units)
  return countUnits(all) === (known ? countUnits(known.units) : 0) ? undefined : all
}
