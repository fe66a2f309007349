import type { AttributeSource } from '../lib/otlp/span.ts'
import type { Operator } from './operators.ts'

/** A selector is a list of rules over span attributes; a setup matches only spans that satisfy all of them. */

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
