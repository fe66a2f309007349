import { type Agreement, agreementOf, type JudgedPair } from './agreement.ts'
import type { Annotation } from './annotation.ts'
import { type Verdict, type VerdictRule, verdictOf } from './verdict.ts'

/** A row on which an evaluator was tried: what it came to, and what a person said about it. */
export interface TriedRow {
  /** Absent where there was no answer. */
  readonly verdict?: Verdict
  /** The verdict of a person; absent where there is none. */
  readonly label?: Verdict
  /** In millionths of a US dollar; absent where it is not known. */
  readonly costMicros?: number
}

/** The totals of trying an evaluator on many rows. */
export interface TrialSummary {
  readonly rows: number
  readonly passed: number
  readonly failed: number
  readonly neutral: number
  readonly unanswered: number
  /** Of the answers whose price is known. */
  readonly costMicros: number
  readonly unpriced: number
  /** Rows that both a person and the evaluator let pass or fail, and how many of them are equal. */
  readonly labelled: number
  readonly equal: number
  /** Absent where there are too few labelled rows to say. */
  readonly agreement?: Agreement
}

/**
 * The verdict of a person. An annotation may be about the deciding field of the tried evaluator, or about that of the evaluator it
 * names; otherwise a yes is good. A number or a text without such a rule says nothing about good and bad.
 */
export function labelVerdict(
  { name, value }: Pick<Annotation, 'name' | 'value'>,
  tried: VerdictRule,
  named: VerdictRule | undefined,
): Verdict | undefined {
  if (typeof value === 'object') return undefined
  const rule = [tried, named].find((each) => each !== undefined && decidesAlone(each, name))
  if (rule) return verdictOf(rule, { [name]: value })
  if (typeof value !== 'boolean') return undefined
  return value ? 'pass' : 'fail'
}

function decidesAlone({ conditions }: VerdictRule, field: string): boolean {
  return conditions.length > 0 && conditions.every((condition) => condition.field === field)
}

/** Sums up the rows of one trial. */
export function summarizeTrial(rows: readonly TriedRow[]): TrialSummary {
  const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length
  const pairs = rows.flatMap(({ verdict, label }): JudgedPair[] =>
    isJudged(verdict) && isJudged(label) ? [{ judge: verdict, human: label }] : [],
  )
  const agreement = agreementOf('label', pairs)
  const answered = rows.filter(({ verdict }) => verdict !== undefined)
  return {
    rows: rows.length,
    passed: count('pass'),
    failed: count('fail'),
    neutral: count('neutral'),
    unanswered: rows.length - answered.length,
    costMicros: answered.reduce((sum, { costMicros = 0 }) => sum + costMicros, 0),
    unpriced: answered.filter(({ costMicros }) => costMicros === undefined).length,
    labelled: pairs.length,
    equal: pairs.filter(({ judge, human }) => judge === human).length,
    ...(agreement && { agreement }),
  }
}

function isJudged(verdict: Verdict | undefined): verdict is 'pass' | 'fail' {
  return verdict === 'pass' || verdict === 'fail'
}
