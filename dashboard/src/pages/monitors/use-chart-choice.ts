import { timeRangeIn, useQueryState } from '../../ui/time-range.ts'
import type { ChartChoice } from './monitor-queries.ts'
import type { SchemaField } from './words.ts'

const NAMES = ['property', 'aggregation', 'bucket', 'version'] as const

/** How the address says that a monitor is to be looked at. A field that the evaluator does not have counts for nothing. */
export function useChartChoice(
  fields: readonly SchemaField[],
): [ChartChoice, (change: Readonly<Record<string, string | undefined>>) => void] {
  const [query, change] = useQueryState()
  return [chartChoiceIn(query, fields), change]
}

/** The choice that an address makes. */
export function chartChoiceIn(query: URLSearchParams, fields: readonly SchemaField[]): ChartChoice {
  const chosen = NAMES.flatMap((name) => {
    const value = query.get(name)
    const isUnknown =
      name === 'property' && fields.length > 0 && !fields.some((field) => field.name === value)
    return value && !isUnknown ? [[name, value]] : []
  })
  return { range: timeRangeIn(query), ...Object.fromEntries(chosen) }
}
