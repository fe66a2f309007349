/**
 * Every operator by which attributes are compared, said once: selectors, filters, explanations, the index of setups and the
 * dashboard (by `npm run generate`) take it from here. Everything is compared as text.
 */

/** How one operator compares, and how it is said. */
interface OperatorDefinition {
  /** One value, a list of values, or none: then only the presence of the attribute counts. */
  readonly operand: 'value' | 'values' | 'none'
  readonly test: keyof typeof TEXT_TESTS | 'exists'
  /** The exact negation of the test, also where there is no value. */
  readonly isNegative: boolean
  /** Filters accept every operator, selectors only those with this flag. */
  readonly isForSelectors: boolean
  /** Goes between the attribute and the operand. */
  readonly label: string
  /** Says what an attribute lacks; the operand follows. */
  readonly demand: string
}

/** Compares the text of an attribute with the wanted text. */
export const TEXT_TESTS = {
  equals: (text: string, wanted: string) => text === wanted,
  contains: (text: string, wanted: string) => text.includes(wanted),
  starts_with: (text: string, wanted: string) => text.startsWith(wanted),
  greater_than: numeric((left, right) => left > right),
  greater_than_or_equal: numeric((left, right) => left >= right),
  less_than: numeric((left, right) => left < right),
  less_than_or_equal: numeric((left, right) => left <= right),
} as const

export const OPERATOR_TABLE = {
  equals: {
    operand: 'value',
    test: 'equals',
    isNegative: false,
    isForSelectors: true,
    label: 'is',
    demand: 'must equal',
  },
  not_equals: {
    operand: 'value',
    test: 'equals',
    isNegative: true,
    isForSelectors: true,
    label: 'is not',
    demand: 'must not equal',
  },
  contains: {
    operand: 'value',
    test: 'contains',
    isNegative: false,
    isForSelectors: true,
    label: 'contains',
    demand: 'must contain',
  },
  not_contains: {
    operand: 'value',
    test: 'contains',
    isNegative: true,
    isForSelectors: true,
    label: 'does not contain',
    demand: 'must not contain',
  },
  exists: {
    operand: 'none',
    test: 'exists',
    isNegative: false,
    isForSelectors: true,
    label: 'is present',
    demand: 'must be there',
  },
  not_exists: {
    operand: 'none',
    test: 'exists',
    isNegative: true,
    isForSelectors: true,
    label: 'is absent',
    demand: 'must be absent',
  },
  // `equals x` is `in [x]`.
  in: {
    operand: 'values',
    test: 'equals',
    isNegative: false,
    isForSelectors: true,
    label: 'is one of',
    demand: 'must be one of',
  },
  not_in: {
    operand: 'values',
    test: 'equals',
    isNegative: true,
    isForSelectors: true,
    label: 'is none of',
    demand: 'must be none of',
  },
  starts_with: {
    operand: 'value',
    test: 'starts_with',
    isNegative: false,
    isForSelectors: false,
    label: 'starts with',
    demand: 'must start with',
  },
  greater_than: {
    operand: 'value',
    test: 'greater_than',
    isNegative: false,
    isForSelectors: false,
    label: 'is above',
    demand: 'must be above',
  },
  greater_than_or_equal: {
    operand: 'value',
    test: 'greater_than_or_equal',
    isNegative: false,
    isForSelectors: false,
    label: 'is at least',
    demand: 'must be at least',
  },
  less_than: {
    operand: 'value',
    test: 'less_than',
    isNegative: false,
    isForSelectors: false,
    label: 'is below',
    demand: 'must be below',
  },
  less_than_or_equal: {
    operand: 'value',
    test: 'less_than_or_equal',
    isNegative: false,
    isForSelectors: false,
    label: 'is at most',
    demand: 'must be at most',
  },
} as const satisfies Record<string, OperatorDefinition>

type Table = typeof OPERATOR_TABLE

/** An operator of a filter: any. */
export type ConditionOperator = keyof Table
/** An operator of a selector. */
export type Operator = {
  [Name in keyof Table]: Table[Name]['isForSelectors'] extends true ? Name : never
}[keyof Table]
/** The tests that selector rules use, before any negation. */
export type RuleTest = Table[Operator]['test']

export const CONDITION_OPERATORS = Object.keys(OPERATOR_TABLE) as ConditionOperator[]
export const OPERATORS = CONDITION_OPERATORS.filter(
  (name) => OPERATOR_TABLE[name].isForSelectors,
) as Operator[]

function numeric(test: (left: number, right: number) => boolean): (text: string, wanted: string) => boolean {
  return (text, wanted) => text.trim() !== '' && wanted.trim() !== '' && test(Number(text), Number(wanted))
}
