import { type Operator, operandOf, plainRule, type Rule, type Source } from './setup-definition.ts'

/** All operators of the service, in words that go between the key and the value. */
export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  in: 'is one of',
  not_in: 'is none of',
  exists: 'is present',
  not_exists: 'is absent',
}

export const SOURCE_WORDS: Readonly<Record<Source, string>> = {
  span_attributes: 'Span',
  resource_attributes: 'Resource',
}

/** A rule as a person says it. */
export function ruleWords(rule: Rule): string {
  const { key, operator = 'equals', value = '', values = [] } = plainRule(rule)
  const words = `${key} ${OPERATOR_WORDS[operator]}`
  const operand = operandOf(operator)
  if (operand === 'none') return words
  return operand === 'value'
    ? `${words} “${value}”`
    : `${words} ${values.map((each) => `“${each}”`).join(', ')}`
}
