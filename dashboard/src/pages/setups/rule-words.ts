import { OPERATOR_FORMS } from '../../api/operators.gen.ts'
import { operandOf, plainRule, type Rule, type Source } from './setup-definition.ts'

export const SOURCE_WORDS: Readonly<Record<Source, string>> = {
  span_attributes: 'Span',
  resource_attributes: 'Resource',
}

/** A rule as a person says it. */
export function ruleWords(rule: Rule): string {
  const { key, operator = 'equals', value = '', values = [] } = plainRule(rule)
  const words = `${key} ${OPERATOR_FORMS[operator].label}`
  const operand = operandOf(operator)
  if (operand === 'none') return words
  return operand === 'value'
    ? `${words} “${value}”`
    : `${words} ${values.map((each) => `“${each}”`).join(', ')}`
}
