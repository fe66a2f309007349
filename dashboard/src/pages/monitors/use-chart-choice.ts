import { useQueryState, useRange } from '../../ui/time-range.ts'
import type { ChartChoice } from './monitor-queries.ts'

const NAMES = ['property', 'aggregation', 'bucket', 'version'] as const

/** How the address says that a monitor is to be looked at. */
export function useChartChoice(): [
  ChartChoice,
  (change: Readonly<Record<string, string | undefined>>) => void,
] {
  const [query, change] = useQueryState()
  const [range] = useRange()
  const chosen = NAMES.flatMap((name) => {
    const value = query.get(name)
    return value ? [[name, value]] : []
  })
  return [{ range, ...Object.fromEntries(chosen) }, change]
}
