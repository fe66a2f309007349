import { defined } from '../lib/defined.ts'

/** How far evaluating is behind, and whether an operator should look. */

/** Up to here everything is fine. */
const OK_MS_MAX = 180_000
/** Beyond this evaluating has as good as stopped. */
const DEGRADED_MS_MAX = 600_000

export const LAG_STATUSES = ['OK', 'DEGRADED', 'ERROR'] as const
export type LagStatus = (typeof LAG_STATUSES)[number]

export const LAG_REASONS = ['LAG_HIGH', 'NO_EVALUATION_DATA'] as const
export type LagReason = (typeof LAG_REASONS)[number]

/** The facts about the progress of evaluating. */
export interface LagFacts {
  readonly oldestWaitingMs?: number
  readonly latestSpanMs?: number
  readonly latestEvaluationMs?: number
}

/** The lag that follows from these facts. */
export interface EvaluationLag {
  readonly lagMs: number
  readonly status: LagStatus
  readonly reasons: readonly LagReason[]
  /** All spans that arrived before and that some monitor wants are evaluated. Unknown before the first result. */
  readonly evaluatedUpToMs?: number
}

/** Judges the time for which the oldest waiting span has waited; where nothing waits there is no lag. */
export function judgeLag(facts: LagFacts, nowMs: number): EvaluationLag {
  const { oldestWaitingMs, latestSpanMs, latestEvaluationMs } = facts
  const lagMs = oldestWaitingMs === undefined ? 0 : Math.max(0, nowMs - oldestWaitingMs)
  const reasons: LagReason[] = []
  if (lagMs > OK_MS_MAX) reasons.push('LAG_HIGH')
  if (latestEvaluationMs === undefined)
    return { lagMs, status: 'ERROR', reasons: [...reasons, 'NO_EVALUATION_DATA'] }
  const evaluatedUpToMs = oldestWaitingMs ?? latestSpanMs
  return {
    lagMs,
    status: lagMs > DEGRADED_MS_MAX ? 'ERROR' : lagMs > OK_MS_MAX ? 'DEGRADED' : 'OK',
    reasons,
    ...defined({ evaluatedUpToMs }),
  }
}
