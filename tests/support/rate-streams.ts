import { designEffect, FAILED_TRACES_MIN, failedTraces } from '../../src/domain/incidents/design-effect.ts'
import { findFall, isRealFall, type TimedCounts } from '../../src/domain/incidents/rate-change.ts'
import { Random } from '../otlp/random-traces.ts'

/** Hours that a look goes back, as the service does. */
const WINDOW_HOURS = 168
const HOUR_MS = 3_600_000
const SAMPLE = 500
const LOOKS_PER_HOUR = 4

/** A stream of judged units whose true pass rate is known. */
export interface RateStream {
  readonly days: number
  /** Units in an hour, on average over a day. */
  readonly perHour: number
  /** Volume swings between a tenth and twice the average within a day. */
  readonly hasDailyVolume?: boolean
  /** The pass rate swings by so much up and down within a day. */
  readonly dailySwing?: number
  /** Units of a trace; they fail together with the probability `likeness`. Absent: 1. */
  readonly traceSize?: number
  readonly likeness?: number
  /** Once a day one trace of this many units fails as a whole. */
  readonly runawayUnits?: number
  /** The true pass rate, by the hours since the beginning. */
  readonly rateAt: (hour: number) => number
}

interface Trace {
  readonly size: number
  readonly failed: number
}

/** The first incident that the test finds in a stream: when, and how many units had been judged since the change. */
export interface FirstIncident {
  readonly hour: number
  readonly units: number
  readonly onsetHour: number
}

/** Plays a stream and looks at it four times an hour, as one of so many series of its project. */
export function findFirstIncident(
  stream: RateStream,
  seed: number,
  { seriesCount = 20, changeHour = 0 } = {},
): FirstIncident | undefined {
  const source = new Random(seed)
  const random = () => source.below(0x1_0000_0000) / 0x1_0000_0000
  const hours: Trace[][] = []
  const counts: TimedCounts[] = []
  let units = 0
  for (let hour = 0; hour < stream.days * 24; hour++) {
    const coming = tracesOf(stream, hour, random)
    const seen: Trace[] = []
    hours.push(seen)
    for (let look = 1; look <= LOOKS_PER_HOUR; look++) {
      const until = Math.ceil((coming.length * look) / LOOKS_PER_HOUR)
      for (const trace of coming.slice(seen.length, until)) {
        seen.push(trace)
        if (hour >= changeHour) units += trace.size
      }
      counts[hour] = countsOf(hour, seen)
      const onsetMs = realOnset(counts.slice(-WINDOW_HOURS), hours, seriesCount)
      if (onsetMs !== undefined) return { hour, units, onsetHour: onsetMs / HOUR_MS }
    }
  }
  return undefined
}

function realOnset(counts: readonly TimedCounts[], hours: readonly Trace[][], seriesCount: number) {
  const fall = findFall(counts)
  if (!fall || !isRealFall(fall, seriesCount)) return undefined
  const onset = fall.onsetMs / HOUR_MS
  const before = unitsOf(hours.slice(0, onset)).slice(-SAMPLE)
  const after = unitsOf(hours.slice(onset)).slice(-SAMPLE)
  if (failedTraces(after) < FAILED_TRACES_MIN) return undefined
  return isRealFall(fall, seriesCount, designEffect(before, after)) ? fall.onsetMs : undefined
}

function tracesOf(stream: RateStream, hour: number, random: () => number): Trace[] {
  const { perHour, hasDailyVolume, dailySwing = 0, traceSize = 1, likeness = 0, runawayUnits } = stream
  const day = Math.sin((2 * Math.PI * hour) / 24)
  const size = (hasDailyVolume ? perHour * (1.05 + 0.95 * day) : perHour) / traceSize
  const rate = Math.min(1, Math.max(0, stream.rateAt(hour) + dailySwing * day))
  const traces = Array.from({ length: poisson(size, random) }, () => {
    const isShared = random() < likeness
    const isBad = random() >= rate
    if (isShared) return { size: traceSize, failed: isBad ? traceSize : 0 }
    let failed = 0
    for (let unit = 0; unit < traceSize; unit++) if (random() >= rate) failed++
    return { size: traceSize, failed }
  })
  if (runawayUnits && hour % 24 === 12) traces.push({ size: runawayUnits, failed: runawayUnits })
  return traces
}

function countsOf(hour: number, traces: readonly Trace[]): TimedCounts {
  const size = traces.reduce((sum, trace) => sum + trace.size, 0)
  const fail = traces.reduce((sum, trace) => sum + trace.failed, 0)
  return { startMs: hour * HOUR_MS, pass: size - fail, fail }
}

function unitsOf(hours: readonly Trace[][]) {
  return hours.flatMap((traces, hour) =>
    traces.flatMap(({ size, failed }, at) =>
      Array.from({ length: size }, (_, unit) => ({ traceId: `${hour}/${at}`, isFailure: unit < failed })),
    ),
  )
}

/** Knuth's method; the mean is at most a few hundred here. */
function poisson(mean: number, random: () => number): number {
  const limit = Math.exp(-mean)
  let [count, product] = [0, random()]
  while (product > limit) {
    product *= random()
    count++
  }
  return count
}
