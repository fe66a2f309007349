import type { AttributeSource } from '../lib/otlp/span.ts'

/** A selector is a list of rules over span attributes; a setup matches only spans that satisfy all of them. */

export const OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'exists',
  'not_exists',
  'in',
  'not_in',
] as const
export type Operator = (typeof OPERATORS)[number]

export const VALUE_TYPES = ['string', 'number', 'boolean'] as const
export type ValueType = (typeof VALUE_TYPES)[number]

/** One stored rule. Values are text whatever their type was; `valueType` remembers what the client sent. */
export interface SelectorRule {
  readonly key: string
  readonly source: AttributeSource
  readonly operator: Operator
  readonly valueType: ValueType
  /** Present exactly when the operator takes one value. */
  readonly value?: string
  /** Present exactly when the operator takes a list; never empty. */
  readonly values?: readonly string[]
}

/** Whether an operator compares with one value, with a list, or only looks for the attribute. */
export function operandOf(operator: Operator): 'value' | 'values' | 'none' {
  switch (operator) {
    case 'equals':
    case 'not_equals':
    case 'contains':
    case 'not_contains':
      return 'value'
    case 'in':
    case 'not_in':
      return 'values'
    case 'exists':
    case 'not_exists':
      return 'none'
  }
}

// The map form of a selector does not say where an attribute lives, so the well-known resource namespaces decide.
const RESOURCE_PREFIXES = ['service.', 'host.', 'process.', 'telemetry.', 'deployment.']

/** The rule that one entry of a selector in map form stands for. */
export function ruleFromMapEntry(key: string, value: string | number | boolean): SelectorRule {
  return {
    key,
    source: RESOURCE_PREFIXES.some((prefix) => key.startsWith(prefix))
      ? 'resource_attributes'
      : 'span_attributes',
    operator: 'equals',
    valueType: typeof value as ValueType,
    value: String(value),
  }
}
