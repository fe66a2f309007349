/** Units of one trace that failed, and all of them. */
interface TraceTally {
  failed: number
  size: number
}

/** A judged unit and the trace that it belongs to. */
export interface TracedUnit {
  readonly traceId: string
  readonly isFailure: boolean
}

/** Even where traces showed no likeness before, some is assumed: an agent that goes astray does so within one trace. */
const LIKENESS_MIN = 0.1
/** The likeness that is assumed where nothing before the onset shows it: no trace had two units, or none failed. */
const UNKNOWN_LIKENESS = 0.5
/** Traces with a failure since the onset below which nothing is said. */
export const FAILED_TRACES_MIN = 8

/**
 * How much less the units since an onset say than as many independent ones would, because units of one trace fail together: Kish's
 * design effect, from the sizes of the traces since then and the likeness of units within a trace before. Where no trace before
 * had two units, they are taken to be all alike.
 */
export function designEffect(before: readonly TracedUnit[], after: readonly TracedUnit[]): number {
  if (after.length === 0) return 1
  const size = typicalSize(tally(after), after.length)
  return 1 + (size - 1) * likeness(before)
}

/** How many traces have a failed unit. */
export function failedTraces(units: readonly TracedUnit[]): number {
  return new Set(units.filter(({ isFailure }) => isFailure).map(({ traceId }) => traceId)).size
}

/** The correlation of units within a trace, by the method of moments. */
function likeness(units: readonly TracedUnit[]): number {
  const traces = tally(units)
  const size = typicalSize(traces, units.length)
  const rate = units.filter(({ isFailure }) => isFailure).length / units.length
  if (units.length === 0 || size <= 1 || rate === 0 || rate === 1) return UNKNOWN_LIKENESS
  const squares = traces.reduce((sum, trace) => sum + (trace.failed - trace.size * rate) ** 2, 0)
  const effect = squares / (units.length * rate * (1 - rate))
  return Math.min(1, Math.max(LIKENESS_MIN, (effect - 1) / (size - 1)))
}

/** The number of units in the trace of a unit, on average over the units. */
function typicalSize(traces: readonly TraceTally[], units: number): number {
  return traces.reduce((sum, { size }) => sum + size * size, 0) / Math.max(1, units)
}

function tally(units: readonly TracedUnit[]): TraceTally[] {
  const traces = new Map<string, TraceTally>()
  for (const { traceId, isFailure } of units) {
    const trace = traces.get(traceId) ?? { failed: 0, size: 0 }
    trace.size++
    if (isFailure) trace.failed++
    traces.set(traceId, trace)
  }
  return [...traces.values()]
}
