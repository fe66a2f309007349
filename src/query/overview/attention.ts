import { judgeLag } from '../../domain/evaluation-lag.ts'
import type { Setup } from '../../domain/setup.ts'
import { countUnits, evaluatedUnits } from '../../domain/unit-counts.ts'
import type { BudgetState } from '../../ports/judge-storage.ts'
import type { MonitorVolume } from '../../ports/overview-storage.ts'
import type { Progress } from '../../ports/result-storage.ts'

export const SEVERITIES = ['error', 'warning', 'info'] as const
export const ATTENTION_KINDS = [
  'setup_failed',
  'evaluations_failing',
  'lag',
  'budget',
  'score_dropped',
  'setup_partial',
  'setup_waiting',
] as const

/** Something that a person should look at. */
export interface Attention {
  readonly severity: (typeof SEVERITIES)[number]
  readonly kind: (typeof ATTENTION_KINDS)[number]
  /** The setup that it is about. */
  readonly externalId?: string
  readonly monitorId?: string
  readonly message: string
}

/** Failures below which nothing is said, and the shares from which they are a warning and an error. */
const FAILURES_MIN = 3
const FAILING_SHARE = 0.1
const BROKEN_SHARE = 0.5
/** Units without input below which nothing is said: some spans of an application often carry none. */
const MISSING_MIN = 30
const MISSING_SHARE = 0.5
/** The share of a budget from which the overview warns. */
const BUDGET_SHARE = 0.8
const MICROS_PER_USD = 1_000_000

/** The worst first; those of the same severity in the order of their kinds. */
export function sortAttention(attention: readonly Attention[]): Attention[] {
  const rankOf = ({ severity, kind }: Attention) =>
    SEVERITIES.indexOf(severity) * ATTENTION_KINDS.length + ATTENTION_KINDS.indexOf(kind)
  return attention.toSorted((left, right) => rankOf(left) - rankOf(right))
}

/** A setup that does not do all that it should. */
export function setupAttention({ externalId, status, entries }: Setup): Attention[] {
  const failed = entries.filter((entry) => entry.status === 'failed')
  const [first] = failed
  const why = first ? `: ${first.slug}: ${first.errorMessage ?? 'no reason is known'}` : ''
  if (status === 'failed') {
    return [{ severity: 'error', kind: 'setup_failed', externalId, message: `no evaluator runs${why}` }]
  }
  if (status === 'partial') {
    const message = `${failed.length} of ${entries.length} evaluators do not run${why}`
    return [{ severity: 'warning', kind: 'setup_partial', externalId, message }]
  }
  if (status !== 'waiting_for_spans') return []
  return [{ severity: 'info', kind: 'setup_waiting', externalId, message: 'too few spans match it so far' }]
}

/** A monitor whose evaluations do not lead to scores. */
export function failureAttention({ id, externalId, counts }: MonitorVolume): Attention[] {
  const units = countUnits(counts)
  const all = evaluatedUnits(units)
  const about = { kind: 'evaluations_failing' as const, externalId, monitorId: id }
  if (units.failed >= FAILURES_MIN && units.failed >= FAILING_SHARE * all) {
    const severity = units.failed >= BROKEN_SHARE * all ? 'error' : 'warning'
    return [{ severity, ...about, message: `${units.failed} of ${all} evaluations failed` }]
  }
  const missing = counts.missing_input ?? 0
  if (missing < MISSING_MIN || missing < MISSING_SHARE * all) return []
  const message = `${missing} of ${all} units do not carry an input that the monitor needs`
  return [{ severity: 'warning', ...about, message }]
}

/** A budget that is spent, or nearly. */
export function budgetAttention({ budget, spent }: BudgetState): Attention[] {
  const { externalId } = budget
  const periods = [
    { name: 'day', limit: budget.dayMicros, used: spent.dayMicros },
    { name: 'month', limit: budget.monthMicros, used: spent.monthMicros },
  ]
  return periods.flatMap(({ name, limit, used }): Attention[] => {
    if (limit === undefined || used < BUDGET_SHARE * limit) return []
    const amounts = `${usd(used)} of ${usd(limit)} USD`
    const isSpent = used >= limit
    const message = isSpent
      ? `the judge budget of the ${name} is spent, nothing more is judged: ${amounts}`
      : `the judge budget of the ${name} is nearly spent: ${amounts}`
    const about = externalId === undefined ? {} : { externalId }
    return [{ severity: isSpent ? 'error' : 'warning', kind: 'budget', ...about, message }]
  })
}

function usd(micros: number): string {
  return String(Number((micros / MICROS_PER_USD).toFixed(4)))
}

/** Spans that have waited for too long. */
export function lagAttention(progress: Progress, nowMs: number): Attention[] {
  const { lagMs, status, reasons } = judgeLag(progress, nowMs)
  if (!reasons.includes('LAG_HIGH')) return []
  const severity = status === 'ERROR' ? 'error' : 'warning'
  const minutes = Math.floor(lagMs / 60_000)
  const message = `${progress.waitingSpans} spans wait to be evaluated, the oldest for ${minutes} minutes`
  return [{ severity, kind: 'lag', message }]
}
