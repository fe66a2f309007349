/** Conditions that clients put on results and spans; everything is compared as text, as it is in selectors. */

import { type ConditionOperator, OPERATOR_TABLE, TEXT_TESTS } from './operators.ts'

/** One condition on one field. */
export interface Condition {
  readonly field: string
  readonly operator: ConditionOperator
  /** One for most operators, any number for `in` and `not_in`, none for `exists` and `not_exists`. */
  readonly values: readonly string[]
}

/** Whether conditions hold together or one of them is enough. */
export const LOGICAL_OPERATORS = ['AND', 'OR'] as const
export type LogicalOperator = (typeof LOGICAL_OPERATORS)[number]

/** The texts of a field that are compared; none where the field is absent. */
export type FieldTexts = (field: string) => readonly string[]

/** Whether the conditions hold; without conditions they do. */
export function holds(
  conditions: readonly Condition[],
  logic: LogicalOperator,
  textsOf: FieldTexts,
): boolean {
  if (conditions.length === 0) return true
  const isMet = (condition: Condition) => meets(condition, textsOf(condition.field))
  return logic === 'AND' ? conditions.every(isMet) : conditions.some(isMet)
}

function meets({ operator, values }: Condition, texts: readonly string[]): boolean {
  const { test, isNegative } = OPERATOR_TABLE[operator]
  const isMet =
    test === 'exists'
      ? texts.length > 0
      : texts.some((text) => values.some((value) => TEXT_TESTS[test](text, value)))
  return isMet !== isNegative
}
