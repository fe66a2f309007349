import type { EvaluationOutput } from '../../domain/evaluation.ts'
import type { EvaluatorSummary } from '../../domain/evaluator.ts'
import { isNumber, ruleInWords, type VerdictCondition, verdictOf } from '../../domain/verdict.ts'
import { invalidInput } from '../../lib/public-error.ts'
import type { AnyEvaluator } from './define-evaluator.ts'

/** The condition on an evaluator's answer under which a guard lets a text pass, in code and in words. */
export interface GuardRule {
  readonly inWords: string
  readonly passes: (output: EvaluationOutput) => boolean
}

/** The rule of a built-in evaluator: that of its verdict, unless the vendor's clients fix another. */
export function builtInGuardRule({ guard, verdict }: Pick<AnyEvaluator, 'guard' | 'verdict'>): GuardRule {
  return guarding(guard ? [guard] : verdict.conditions)
}

/**
 * The rule of a custom evaluator: that of its verdict. Where that is neutral, its first number is at least 0.5. An evaluator that
 * answers only in words cannot guard.
 */
export function customGuardRule({
  slug,
  outputSchema,
  verdict,
}: Pick<EvaluatorSummary, 'slug' | 'outputSchema' | 'verdict'>): GuardRule {
  if (verdict.conditions.length > 0) return guarding(verdict.conditions)
  const number = outputSchema.find(({ type }) => isNumber(type))
  if (number) return guarding([{ field: number.name, compare: 'at_least', threshold: 0.5 }])
  throw invalidInput(`evaluator ${slug} cannot guard: it has no output of the type boolean, int or float`)
}

function guarding(conditions: readonly VerdictCondition[]): GuardRule {
  return {
    inWords: ruleInWords({ conditions }),
    passes: (output) => verdictOf({ conditions }, output) === 'pass',
  }
}
