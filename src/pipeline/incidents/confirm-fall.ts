import { designEffect, FAILED_TRACES_MIN, failedTraces } from '../../domain/incidents/design-effect.ts'
import type { IncidentExample, IncidentMonitor } from '../../domain/incidents/incident.ts'
import {
  evidenceOf,
  falseChance,
  findFall,
  isRealFall,
  type RateChange,
  refineOnset,
  type TimedCounts,
} from '../../domain/incidents/rate-change.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { VERDICT_PROPERTY } from '../../domain/verdict.ts'
import type { StoredEvaluation } from '../../ports/result-storage.ts'
import type { Storage } from '../../ports/storage.ts'
import { sampleUnits, type UnitSample } from './sample-units.ts'
import { HOUR_MS, type WatchedSeries } from './watched-series.ts'

const MINUTE_MS = 60_000
/** Examples that an incident keeps of one fall. */
const EXAMPLES_MAX = 5

/** A fall that is real: its monitor as the incident keeps it, and the units on both sides. */
export interface ConfirmedFall {
  readonly application: string | undefined
  readonly monitor: IncidentMonitor
  readonly sample: UnitSample
  readonly examples: readonly IncidentExample[]
}

/** The storage that falls are confirmed with. */
export type FallStorage = Pick<Storage, 'listEvaluations' | 'readSeries'>

/**
 * Looks for a fall in the hours of a series. The fall is held against a sample of units: enough traces have to fail, and
 * units of one trace that fail together count as fewer.
 */
export async function confirmFall(
  storage: FallStorage,
  tenant: ProjectTenant,
  { application, monitor }: WatchedSeries,
  { hours, seriesCount }: { readonly hours: readonly TimedCounts[]; readonly seriesCount: number },
): Promise<ConfirmedFall | undefined> {
  const fall = findFall(hours)
  if (!fall || !isRealFall(fall, seriesCount)) return undefined
  const { monitorId, version, ruleHash } = monitor
  const onsetMs = await onsetOf(storage, tenant, { monitorId, version }, fall)
  const sample = await sampleUnits(storage, tenant, { application, monitorId, version }, onsetMs)
  const [before, after] = [sample.before.map(toTracedUnit), sample.after.map(toTracedUnit)]
  const effect = designEffect(before, after)
  if (failedTraces(after) < FAILED_TRACES_MIN || !isRealFall(fall, seriesCount, effect)) return undefined
  return {
    application,
    sample,
    examples: examplesOf(sample.after),
    monitor: {
      ...{ monitorId, version, ruleHash, onsetMs, before: fall.before, after: fall.after },
      falseChance: falseChance(evidenceOf(fall, effect), seriesCount),
      state: 'fallen',
    },
  }
}

/** Failures of different traces, the newest first. */
export function examplesOf(units: readonly StoredEvaluation[]): IncidentExample[] {
  const failed = units.filter(({ verdict }) => verdict === 'fail')
  const newestFirst = failed.toSorted((left, right) => right.unitAtMs - left.unitAtMs)
  const ofTraces = new Map<string, IncidentExample>()
  for (const { traceId, number } of newestFirst) {
    if (!ofTraces.has(traceId)) ofTraces.set(traceId, { traceId, evaluation: number })
  }
  return [...ofTraces.values()].slice(0, EXAMPLES_MAX)
}

/** The minute of the onset. Minutes are counted by monitor, over all applications; the hour comes from the application alone. */
async function onsetOf(
  storage: FallStorage,
  tenant: ProjectTenant,
  series: { readonly monitorId: string; readonly version: number },
  fall: RateChange,
): Promise<number> {
  const minutes = await storage.readSeries(tenant, {
    ...{ ...series, property: VERDICT_PROPERTY, bucketMs: MINUTE_MS },
    ...{ fromMs: fall.onsetMs - HOUR_MS, toMs: fall.onsetMs + HOUR_MS },
  })
  return refineOnset(
    minutes.map(({ startMs, count, sum = 0 }) => ({ startMs, pass: sum, fail: count - sum })),
    fall,
  )
}

function toTracedUnit({ traceId, verdict }: StoredEvaluation) {
  return { traceId, isFailure: verdict === 'fail' }
}
