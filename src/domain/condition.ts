/** Conditions that clients put on results and spans; everything is compared as text, as it is in selectors. */

/** How a value is compared. A negative operator is the exact negation of its positive one, also where there is no value. */
export const CONDITION_OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'in',
  'not_in',
  'starts_with',
  'exists',
  'not_exists',
  'greater_than',
  'greater_than_or_equal',
  'less_than',
  'less_than_or_equal',
] as const
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number]

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

/** What is compared: the texts of a field, none where it is absent. */
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
  const some = (test: (text: string, value: string) => boolean) =>
    texts.some((text) => values.some((value) => test(text, value)))
  const number = (test: (left: number, right: number) => boolean) =>
    some((text, value) => text.trim() !== '' && value.trim() !== '' && test(Number(text), Number(value)))
  switch (operator) {
    case 'equals':
    case 'in':
      return some((text, value) => text === value)
    case 'not_equals':
    case 'not_in':
      return !some((text, value) => text === value)
    case 'contains':
      return some((text, value) => text.includes(value))
    case 'not_contains':
      return !some((text, value) => text.includes(value))
    case 'starts_with':
      return some((text, value) => text.startsWith(value))
    case 'exists':
      return texts.length > 0
    case 'not_exists':
      return texts.length === 0
    case 'greater_than':
      return number((left, right) => left > right)
    case 'greater_than_or_equal':
      return number((left, right) => left >= right)
    case 'less_than':
      return number((left, right) => left < right)
    case 'less_than_or_equal':
      return number((left, right) => left <= right)
  }
}
