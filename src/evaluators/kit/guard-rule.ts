import type { SchemaField } from '../../domain/evaluator.ts'
import { invalidInput } from '../../lib/public-error.ts'
import type { AnyEvaluator } from './define-evaluator.ts'
import { schemaFields } from './schema-fields.ts'

type Output = Readonly<Record<string, unknown>>

/** The condition on an evaluator's answer under which a guard lets a text pass, in code and in words. */
export interface GuardRule {
  readonly inWords: string
  readonly passes: (output: Output) => boolean
}

const isTrue = (field: string): GuardRule => ({
  inWords: `${field} is true`,
  passes: (output) => output[field] === true,
})
/** A field that has to be false. */
export const isFalse = (field: string): GuardRule => ({
  inWords: `${field} is false`,
  passes: (output) => output[field] === false,
})
/** A field that has to be a number of at least so much. */
export const atLeast = (field: string, min: number): GuardRule => ({
  inWords: `${field} is at least ${min}`,
  passes: (output) => typeof output[field] === 'number' && output[field] >= min,
})
/** A field that has to be a number of at most so much. */
export const atMost = (field: string, max: number): GuardRule => ({
  inWords: `${field} is at most ${max}`,
  passes: (output) => typeof output[field] === 'number' && output[field] <= max,
})
/** A field that has to be a number less than that. */
export const below = (field: string, limit: number): GuardRule => ({
  inWords: `${field} is less than ${limit}`,
  passes: (output) => typeof output[field] === 'number' && output[field] < limit,
})
/** A field that has to be a number greater than that. */
export const above = (field: string, limit: number): GuardRule => ({
  inWords: `${field} is greater than ${limit}`,
  passes: (output) => typeof output[field] === 'number' && output[field] > limit,
})

/** The rule of a built-in evaluator: its own, or what its outputs suggest. */
export function builtInGuardRule({ slug, guard, output }: AnyEvaluator): GuardRule {
  return guard ?? guardRuleOf(slug, schemaFields(output))
}

/**
 * The rule that the outputs suggest: the boolean named `pass`, else the first boolean is true; where there is none, the first
 * number is at least 0.5. An evaluator that answers only in words cannot guard.
 */
export function guardRuleOf(slug: string, outputs: readonly SchemaField[]): GuardRule {
  const booleans = outputs.filter(({ type }) => type === 'boolean')
  const verdict = booleans.find(({ name }) => name === 'pass') ?? booleans[0]
  if (verdict) return isTrue(verdict.name)
  const number = outputs.find(({ type }) => type === 'int' || type === 'float')
  if (number) return atLeast(number.name, 0.5)
  throw invalidInput(`evaluator ${slug} cannot guard: it has no output of the type boolean, int or float`)
}
