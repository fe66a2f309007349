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

/** The ids of the traces of these spans, in hex. */
export function tracesOf(batch: DecidedBatch, units: UnitSet): Set<string> {
  return new Set(listUnits(units).map((ordinal) => traceIdAt(batch, ordinal)))
}

function traceIdAt(batch: DecidedBatch, ordinal: number): string {
  return Buffer.from(idsAt(batch, ordinal).traceId).toString('hex')
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

/** Traces of one batch, beyond those there is room for, that are looked for among the counted ones. */
const ASKED_TRACES_MAX = 1_000

/** The spans of a batch that there is something to do for, and how much of the limit they take. */
export interface WantedUnits {
  readonly units: UnitSet
  /** Spans, or traces where these are counted. */
  readonly taken: number
}

/** The state of the limit of a backfill. */
export interface BackfillRoom {
  readonly left: number
  /** Present where traces are counted and not spans: whether the job has counted this one, in hex, in another batch. */
  readonly isCounted?: (traceId: string) => boolean
}

/** The spans of a batch that there is something to do for, as many as there is room for. */
export function wantedUnits(
  batch: DecidedBatch,
  undone: readonly Undone[],
  known: KnownMatch | undefined,
  /** Whether spans without a decision are wanted too, because units or bindings come of the decision. */
  wantsDecisions: boolean,
  { left, isCounted }: BackfillRoom,
): WantedUnits {
  const wanted = emptyUnits(batch.spanCount)
  for (const { units } of undone) addUnits(wanted, units)
  if (wantsDecisions) {
    const undecided = batch.units.slice()
    if (known) removeUnits(undecided, known.units)
    addUnits(wanted, undecided)
  }
  if (isCounted) return wantedTraces(batch, wanted, left, isCounted)
  for (const ordinal of listUnits(wanted).slice(left)) removeUnit(wanted, ordinal)
  return { units: wanted, taken: countUnits(wanted) }
}

/**
 * The spans of so many traces. Spans that monitors skip make no trace count: the limit would be spent on requests that called no
 * model.
 */
function wantedTraces(
  batch: DecidedBatch,
  wanted: UnitSet,
  left: number,
  isCounted: (traceId: string) => boolean,
): WantedUnits {
  if (batch.skipped) removeUnits(wanted, batch.skipped.units)
  const isTaken = new Map<string, boolean>()
  let taken = 0
  for (const ordinal of listUnits(wanted)) {
    const traceId = traceIdAt(batch, ordinal)
    if (!isTaken.has(traceId)) {
      // Asking costs a statement; a trace that is not asked about is left out where there is no room for it.
      const isKnown = isTaken.size < ASKED_TRACES_MAX + left && isCounted(traceId)
      const isNew = !isKnown && taken < left
      if (isNew) taken++
      isTaken.set(traceId, isKnown || isNew)
    }
    if (!isTaken.get(traceId)) removeUnit(wanted, ordinal)
  }
  return { units: wanted, taken }
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
  /** Then a decision says that the trace was counted, and spans that are skipped stay out of it. */
  countsTraces: boolean,
): UnitSet | undefined {
  if (known?.job_number === 0) return undefined
  const all = wanted.slice()
  if (!countsTraces && batch.skipped && monitors.some((monitor) => isSkipping(monitor, batch)))
    addUnits(all, commonUnits(batch.units, batch.skipped.units))
  if (known) addUnits(all, known.units)
  return countUnits(all) === (known ? countUnits(known.units) : 0) ? undefined : all
}
