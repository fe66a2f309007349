import type { components } from '../../api/schema.gen.ts'
import type { Verdict } from '../../ui/badge.tsx'
import type { Tried } from './evaluator-call.ts'

/** A span or a trace that a judge can be tried on. */
export type TrialRow = components['schemas']['TrialRow']

/** The outcome of one candidate on one row: an answer with its verdict, or a problem. */
export interface TrialResult extends Partial<Tried> {
  readonly row: number
  readonly candidate: number
  /** The verdict of people. */
  readonly label?: Verdict
  readonly problem?: string
}

/** The totals of one candidate. */
export interface CandidateSummary {
  readonly rows: number
  readonly passed: number
  readonly failed: number
  readonly neutral: number
  readonly unanswered: number
  readonly cost_usd: number
  readonly unpriced: number
  readonly labelled: number
  readonly equal: number
  readonly accuracy?: number
  readonly kappa?: number
}

/** The totals of a trial. */
export interface TrialSummary {
  readonly rows: number
  readonly candidates: readonly CandidateSummary[]
  readonly differences?: number
}

/** One line of the answer of a trial. */
export type TrialLine = { readonly result: TrialResult } | { readonly summary: TrialSummary }
