import { judgeLag } from '../../domain/evaluation-lag.ts'
import type { EvaluatorSummary } from '../../domain/evaluator.ts'
import { measuredField } from '../../domain/measured-field.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { countUnits, evaluatedUnits } from '../../domain/unit-counts.ts'
import { type KnownEvaluators, loadKnownEvaluators } from '../../evaluators/known-evaluators.ts'
import type { BudgetState, SpendTotals } from '../../ports/judge-storage.ts'
import type { MonitorVolume } from '../../ports/overview-storage.ts'
import type { Progress } from '../../ports/result-storage.ts'
import { listBudgets } from '../list-budgets.ts'
import type { QueryDeps } from '../query-deps.ts'
import {
  type Attention,
  budgetAttention,
  failureAttention,
  lagAttention,
  setupAttention,
  sortAttention,
} from './attention.ts'
import {
  type MonitorMeasure,
  type MonitorOverview,
  type OverviewRange,
  toMonitorOverview,
} from './monitor-overview.ts'

/** Most monitors that are told, and that are compared with the time before to find those that need attention. */
export const OVERVIEW_MONITORS_MAX = 100
const COMPARED_MAX = 200
/** Most monitors whose failures are looked at. */
const COUNTED_MAX = 1_000
/** Most matters that are told. */
export const ATTENTION_MAX = 20
const SETUP_STATES = ['failed', 'partial', 'waiting_for_spans'] as const

/** How a project fares. */
export interface Overview {
  readonly monitors: readonly MonitorOverview[]
  /** Units that were looked at in the span of time, and those of them that failed. */
  readonly evaluations: number
  readonly failed: number
  readonly lagInSpans: number
  /** Absent as long as nothing was evaluated and nothing waits. */
  readonly lagMs?: number
  readonly attention: readonly Attention[]
  readonly spend: SpendTotals & {
    readonly dayBudgetMicros?: number
    readonly monthBudgetMicros?: number
    /** Of this month. */
    readonly unpricedCalls: number
  }
}

/** Looks at everything that a person would ask first: what runs, how the scores went, what is wrong, what it costs. */
export async function showOverview(
  deps: QueryDeps,
  tenant: ProjectTenant,
  range: OverviewRange,
): Promise<Overview> {
  const { storage, clock } = deps
  const [volume, progress, budgets, setups, spend] = await Promise.all([
    storage.readVolume(tenant, { fromMs: range.fromMs, toMs: range.toMs, limit: COUNTED_MAX }),
    storage.readProgress(tenant),
    listBudgets(deps, tenant),
    Promise.all(SETUP_STATES.map((status) => storage.listSetups(tenant, { status, limit: ATTENTION_MAX }))),
    spendOf(deps, tenant),
  ])
  const failing = volume.monitors.flatMap(failureAttention)
  const monitors = await compareMonitors(deps, tenant, attentiveFirst(volume.monitors, failing), range)
  const dropped = monitors.flatMap((monitor) => monitor.dropped ?? [])
  const attention = sortAttention([
    ...setups.flat().flatMap(setupAttention),
    ...failing,
    ...lagAttention(progress, clock.nowMs()),
    ...budgets.flatMap(budgetAttention),
    ...dropped,
  ])
  const counts = countUnits(volume.counts)
  return {
    monitors: attentiveFirst(monitors, attention).slice(0, OVERVIEW_MONITORS_MAX),
    evaluations: evaluatedUnits(counts),
    failed: counts.failed,
    ...lagOf(progress, clock.nowMs()),
    attention: attention.slice(0, ATTENTION_MAX),
    spend: { ...spend, ...projectBudget(budgets) },
  }
}

async function compareMonitors(
  { storage }: QueryDeps,
  tenant: ProjectTenant,
  candidates: readonly MonitorVolume[],
  range: OverviewRange,
): Promise<MonitorOverview[]> {
  const compared = candidates.slice(0, COMPARED_MAX)
  const slugs = new Set(compared.map(({ slug }) => slug))
  const known: KnownEvaluators = await loadKnownEvaluators(storage, tenant, slugs)
  const measures = new Map(Array.from(slugs, (slug) => [slug, measureOf(known.find(slug))]))
  const measured = compared.flatMap(({ id, slug }) => {
    const measure = measures.get(slug)
    return measure ? [{ monitorId: id, property: measure.field.name }] : []
  })
  const trends = await storage.readTrends(tenant, { ...range, monitors: measured })
  const byMonitor = new Map(trends.map((trend) => [trend.monitorId, trend]))
  return compared.map((monitor) =>
    toMonitorOverview(monitor, measures.get(monitor.slug), byMonitor.get(monitor.id), range),
  )
}

function measureOf(evaluator: EvaluatorSummary | undefined): MonitorMeasure | undefined {
  const field = measuredField(evaluator?.outputSchema)
  return evaluator && field && { field, rule: evaluator.verdict }
}

/** Monitors that something is the matter with, the worst first, then the others in their order. */
function attentiveFirst<Monitor extends MonitorVolume | MonitorOverview>(
  monitors: readonly Monitor[],
  attention: readonly Attention[],
): Monitor[] {
  const ranks = new Map<string | undefined, number>()
  for (const [rank, { monitorId }] of attention.entries()) {
    if (monitorId !== undefined && !ranks.has(monitorId)) ranks.set(monitorId, rank)
  }
  const rankOf = (one: Monitor) => ranks.get('monitor' in one ? one.monitor.id : one.id) ?? attention.length
  return monitors.toSorted((left, right) => rankOf(left) - rankOf(right))
}

async function spendOf({ storage, clock }: QueryDeps, tenant: ProjectTenant) {
  const nowMs = clock.nowMs()
  const now = new Date(nowMs)
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  const [totals, lines] = await Promise.all([
    storage.readSpend(tenant, undefined, nowMs),
    storage.listSpend(tenant, monthMs, nowMs),
  ])
  return { ...totals, unpricedCalls: lines.reduce((sum, line) => sum + line.unpricedCalls, 0) }
}

function projectBudget(budgets: readonly BudgetState[]) {
  const own = budgets.find(({ budget }) => budget.externalId === undefined)?.budget
  return {
    ...(own?.dayMicros === undefined ? {} : { dayBudgetMicros: own.dayMicros }),
    ...(own?.monthMicros === undefined ? {} : { monthBudgetMicros: own.monthMicros }),
  }
}

function lagOf(progress: Progress, nowMs: number): Pick<Overview, 'lagInSpans' | 'lagMs'> {
  const isUnknown = progress.latestEvaluationMs === undefined && progress.waitingSpans === 0
  return {
    lagInSpans: progress.waitingSpans,
    ...(isUnknown ? {} : { lagMs: judgeLag(progress, nowMs).lagMs }),
  }
}
