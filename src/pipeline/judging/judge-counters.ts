import type { ModelUsage } from '../../domain/judgement.ts'
import type { BreakerState } from './circuit-breaker.ts'

/** How a call of a provider ended. */
export type CallOutcome = 'answered' | 'truncated' | 'refused' | 'busy' | 'rejected' | 'deadline'

/** The counters of judging; the models are those that operators and tenants name. */
export interface JudgeCounters {
  countCall(model: string, outcome: CallOutcome, seconds: number): void
  countUsage(model: string, usage: ModelUsage, costMicros: number | undefined): void
  /** An answer that was paid for before, or that another evaluation is just waiting for. */
  countCacheHit(model: string): void
  /** A verdict that was asked for once more because the first was malformed or truncated. */
  countRepair(model: string): void
  /** Answers that could not be written for good: the same question will be paid for again. */
  countUnwritten(answers: number): void
  setBreaker(provider: string, state: BreakerState): void
  /** Calls of a provider began or ceased to wait for a place, or to have one. */
  changeSlots(provider: string, change: { readonly waiting?: number; readonly used?: number }): void
}

/** Counts nothing; for commands that serve no metrics. */
export const NO_COUNTERS: JudgeCounters = {
  countCall() {},
  countUsage() {},
  countCacheHit() {},
  countRepair() {},
  countUnwritten() {},
  setBreaker() {},
  changeSlots() {},
}
