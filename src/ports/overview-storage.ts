import type { EvaluationStatus } from '../domain/evaluation.ts'
import type { EvaluationScope } from '../domain/evaluator.ts'
import type { ProjectTenant } from '../domain/tenant.ts'

/** Units by what came of them; only statuses that occurred. */
export type StatusCounts = Readonly<Partial<Record<EvaluationStatus, number>>>

/** A monitor and what came of the units that its current version got in a span of time. */
export interface MonitorVolume {
  readonly id: string
  /** Of the setup. */
  readonly externalId: string
  readonly slug: string
  readonly scope: EvaluationScope
  readonly isActive: boolean
  readonly counts: StatusCounts
}

/** The volume of a project's monitors in a period of time. */
export interface ProjectVolume {
  /** Those that are active, and stopped ones that got units. Those with the most units first, then by id. */
  readonly monitors: readonly MonitorVolume[]
  /** Of all versions of all monitors, also of those that are not told. */
  readonly counts: StatusCounts
}

/** A span of time in whole minutes; the end is not included. */
export interface MinuteSpan {
  readonly fromMs: number
  readonly toMs: number
}

/** Which output property of which monitors is followed, in buckets and over the same span of time before. */
export interface TrendQuery extends MinuteSpan {
  readonly monitors: readonly { readonly monitorId: string; readonly property: string }[]
  /** Whole minutes, of which the span has a whole number, and whose multiple it begins at. */
  readonly bucketMs: number
}

/** The summary of numbers; booleans are among them as 0 and 1. Without numbers nothing but the count is there. */
export interface ValueSums {
  readonly count: number
  readonly sum?: number
  readonly min?: number
  readonly max?: number
}

/** How a property of the current version of a monitor went. */
export interface MonitorTrend {
  readonly monitorId: string
  /** In the span of time of the same length that ends where the one asked for begins. */
  readonly previous: ValueSums
  /** In order of time; only those with numbers. */
  readonly buckets: readonly (ValueSums & { readonly startMs: number })[]
}

/** The results of many monitors, all at once and from rollups alone. Nothing here writes. */
export interface OverviewStorage {
  readVolume(tenant: ProjectTenant, span: MinuteSpan & { readonly limit: number }): Promise<ProjectVolume>
  /** In the order of the query; nothing for a monitor of another tenant. */
  readTrends(tenant: ProjectTenant, query: TrendQuery): Promise<MonitorTrend[]>
}
