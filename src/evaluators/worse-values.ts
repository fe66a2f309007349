import { findBuiltIn } from './catalogue.ts'
import { builtInGuardRule } from './kit/guard-rule.ts'
import { schemaFields } from './kit/schema-fields.ts'

/**
 * Whether the larger values of an output field are the worse ones. That is so where the evaluator's rule for guards lets the
 * smallest value pass and the largest not, as for `has_pii`; where it says nothing about the field the smaller ones are worse.
 */
export function isLargerWorse(slug: string, field: string): boolean {
  const evaluator = findBuiltIn(slug)
  const type = evaluator && schemaFields(evaluator.output).find(({ name }) => name === field)?.type
  if (!evaluator || type === undefined || type === 'string' || type === 'enum') return false
  const { passes } = builtInGuardRule(evaluator)
  const [smallest, largest] = type === 'boolean' ? [false, true] : [-Number.MAX_VALUE, Number.MAX_VALUE]
  return passes({ [field]: smallest }) && !passes({ [field]: largest })
}
