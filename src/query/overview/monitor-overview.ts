import type { SchemaField } from '../../domain/evaluator.ts'
import { hasDropped, type ScoredValues } from '../../domain/score-drop.ts'
import { aggregate } from '../../domain/series.ts'
import { countUnits, type UnitCounts } from '../../domain/unit-counts.ts'
import { betterDirection, type Direction, isLargerWorse, type VerdictRule } from '../../domain/verdict.ts'
import { defined } from '../../lib/defined.ts'
import type { MonitorTrend, MonitorVolume, TrendQuery, ValueSums } from '../../ports/overview-storage.ts'
import type { Attention } from './attention.ts'

/** One point of the small chart of a monitor. */
export interface OverviewPoint {
  readonly startMs: number
  /** Absent where nothing was scored. */
  readonly mean?: number
  readonly count: number
}

/** A monitor as the overview shows it. */
export interface MonitorOverview {
  readonly monitor: MonitorVolume
  readonly counts: UnitCounts
  /** The property that measures it; absent where its output has no number and no boolean. */
  readonly property?: string
  /** The mean is the share of units for which the property is true. */
  readonly isShare: boolean
  /** The direction in which the property gets better; absent where it decides no verdict. */
  readonly better?: Direction
  readonly mean?: number
  readonly previousMean?: number
  /** One for each bucket, in order of time. */
  readonly points: readonly OverviewPoint[]
  readonly dropped?: Attention
}

/** A span of time in buckets. */
export type OverviewRange = Pick<TrendQuery, 'fromMs' | 'toMs' | 'bucketMs'>

/** A field that a monitor is measured by, and the rule that says which of its values are good. */
export interface MonitorMeasure {
  readonly field: SchemaField
  readonly rule: VerdictRule
}

/** Puts together what is known about a monitor. */
export function toMonitorOverview(
  monitor: MonitorVolume,
  measure: MonitorMeasure | undefined,
  trend: MonitorTrend | undefined,
  range: OverviewRange,
): MonitorOverview {
  const now = trend && scoredValues(trend.buckets)
  const before = trend && scoredValues([trend.previous])
  const field = measure?.field
  const dropped = measure && now && before && dropOf(monitor, measure, now, before)
  return {
    monitor,
    counts: countUnits(monitor.counts),
    ...(field && { property: field.name }),
    isShare: field?.type === 'boolean',
    ...(measure && defined({ better: betterDirection(measure.rule, measure.field.name) })),
    ...(now && { mean: now.mean }),
    ...(before && { previousMean: before.mean }),
    points: pointsOf(trend, range),
    ...(dropped && { dropped }),
  }
}

/** The summary of several periods together; undefined where nothing was scored, or too much to be added up. */
function scoredValues(parts: readonly ValueSums[]): ScoredValues | undefined {
  const used = parts.filter(({ count }) => count > 0)
  const count = used.reduce((total, part) => total + part.count, 0)
  const mean = aggregate('average', {
    count,
    sum: used.reduce((total, { sum = Number.NaN }) => total + sum, 0),
  })
  if (mean === undefined || Number.isNaN(mean)) return undefined
  const min = Math.min(...used.map((part) => part.min ?? Number.POSITIVE_INFINITY))
  const max = Math.max(...used.map((part) => part.max ?? Number.NEGATIVE_INFINITY))
  return { count, mean, min, max }
}

function pointsOf(
  trend: MonitorTrend | undefined,
  { fromMs, toMs, bucketMs }: OverviewRange,
): OverviewPoint[] {
  const buckets = new Map(trend?.buckets.map((bucket) => [bucket.startMs, bucket]))
  return Array.from({ length: Math.round((toMs - fromMs) / bucketMs) }, (_, at) => {
    const startMs = fromMs + at * bucketMs
    const values = buckets.get(startMs)
    const mean = values && aggregate('average', values)
    return { startMs, count: values?.count ?? 0, ...defined({ mean }) }
  })
}

function dropOf(
  { id, externalId, slug }: MonitorVolume,
  { field: { name, type }, rule }: MonitorMeasure,
  now: ScoredValues,
  before: ScoredValues,
): Attention | undefined {
  if (!hasDropped(now, before, isLargerWorse(rule, name))) return undefined
  const what = type === 'boolean' ? `the share of ${name}` : `the mean of ${name}`
  const tell = ({ mean, count }: ScoredValues) => `${Number(mean.toPrecision(3))} (n = ${count})`
  const message = `${slug}: ${what} is ${tell(now)}, was ${tell(before)} in the previous period`
  return { severity: 'warning', kind: 'score_dropped', externalId, monitorId: id, message }
}
