import { OPERATOR_FORMS } from '../../api/operators.gen.ts'
import type { paths } from '../../api/schema.gen.ts'
import { boundsOf, type RangeName } from '../../ui/time-range.ts'

/** The query parameters of `GET /v2/traces`. */
export type TraceQuery = NonNullable<paths['/v2/traces']['get']['parameters']['query']>

/** Filters that stand in the address under the names that the interface has for them. */
export const TEXT_FILTERS = [
  'q',
  'environment',
  'service',
  'model',
  'session_id',
  'status',
  'min_duration_ms',
  'max_duration_ms',
  'evaluator_type',
  'evaluation_status',
  'min_value',
  'max_value',
] as const
export type TextFilter = (typeof TEXT_FILTERS)[number]

/** The displayed name of each filter. */
export const FILTER_NAMES: Readonly<Record<TextFilter, string>> = {
  q: 'Text',
  environment: 'Environment',
  service: 'Service',
  model: 'Model',
  session_id: 'Session',
  status: 'Status',
  min_duration_ms: 'At least (ms)',
  max_duration_ms: 'At most (ms)',
  evaluator_type: 'Evaluator',
  evaluation_status: 'Evaluation status',
  min_value: 'Score from',
  max_value: 'Score to',
}

/** An operator of a filter by attribute; the form has room for one value. */
export type Operator = {
  [Name in keyof typeof OPERATOR_FORMS]: (typeof OPERATOR_FORMS)[Name]['operand'] extends 'values'
    ? never
    : Name
}[keyof typeof OPERATOR_FORMS]

/** Names of the operators of a filter by attribute, and how they are said. */
export const OPERATORS = Object.fromEntries(
  Object.entries(OPERATOR_FORMS).flatMap(([name, { label, operand }]) =>
    operand === 'values' ? [] : [[name, label]],
  ),
) as Readonly<Record<Operator, string>>

/** A condition on an attribute of one span of the trace. */
export interface AttributeFilter {
  readonly id: string
  readonly operator: Operator
  readonly value: string
}

export const needsValue = (operator: Operator) => OPERATOR_FORMS[operator].operand !== 'none'

/** The conditions on attributes that the address holds; what cannot be read is none. */
export function attributeFiltersOf(address: URLSearchParams): AttributeFilter[] {
  try {
    const given: unknown = JSON.parse(address.get('filters') ?? '[]')
    if (!Array.isArray(given)) return []
    return given.flatMap((one: Partial<Record<keyof AttributeFilter, unknown>>) => {
      const { id, operator, value = '' } = one ?? {}
      const isKnown = typeof id === 'string' && typeof operator === 'string' && operator in OPERATORS
      return isKnown ? [{ id, operator: operator as Operator, value: String(value) }] : []
    })
  } catch {
    return []
  }
}

/** The conditions in the form of the address; nothing for none. */
export function attributeFiltersText(filters: readonly AttributeFilter[]): string | undefined {
  if (filters.length === 0) return undefined
  return JSON.stringify(
    filters.map(({ id, operator, value }) =>
      needsValue(operator) ? { id, operator, value } : { id, operator },
    ),
  )
}

/** The request for the page of traces that the address names. Moments are those of now: the address names only how far back. */
export function traceQueryOf(address: URLSearchParams, range: RangeName): TraceQuery {
  const query: Record<string, string> = boundsOf(range)
  for (const name of [...TEXT_FILTERS, 'cursor'] as const) {
    const value = address.get(name)
    if (value) query[name] = value
  }
  const filters = attributeFiltersText(attributeFiltersOf(address))
  return { ...query, ...(filters ? { filters } : {}) } as TraceQuery
}

/** The part of the address that chooses traces, whatever page of them is shown. */
export function traceFilterOf(address: URLSearchParams): Record<string, string> {
  const names = [...TEXT_FILTERS, 'filters', 'range']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = address.get(name)
      return value ? [[name, value]] : []
    }),
  )
}

/** True when the address narrows the list by more than a time range. */
export function isNarrowed(address: URLSearchParams): boolean {
  return TEXT_FILTERS.some((name) => address.get(name)) || attributeFiltersOf(address).length > 0
}

/** Whether finding the page takes reading spans, which the service does for only so many at a time. */
export function readsSpans(address: URLSearchParams): boolean {
  return Boolean(address.get('q')) || attributeFiltersOf(address).length > 0
}
