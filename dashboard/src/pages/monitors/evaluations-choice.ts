import { useQueryState, useTimeRange } from '../../ui/time-range.ts'
import type { EvaluationsChoice } from './monitor-queries.ts'

/** The id of the list of evaluations on the page of a monitor. */
export const EVALUATIONS_ID = 'evaluations'

export type QueryChange = (change: Readonly<Record<string, string | undefined>>) => void

/** The filter of the list of evaluations, as the address says it. */
export function useEvaluationsChoice(): [EvaluationsChoice, QueryChange] {
  const [query, change] = useQueryState()
  const [range] = useTimeRange()
  const order = query.get('order')
  const verdict = query.get('verdict')
  const given = { status: 'outcome', min_value: 'min', max_value: 'max' }
  const chosen = Object.entries(given).flatMap(([field, name]) => {
    const value = query.get(name)
    return value ? [[field, value]] : []
  })
  const [unitFrom, unitTo] = [query.get('unit_from'), query.get('unit_to')]
  return [
    {
      range,
      order: order === 'worst' || order === 'best' ? order : 'newest',
      ...(verdict === 'pass' || verdict === 'fail' ? { verdict } : {}),
      ...(unitFrom && unitTo ? { unit_from: unitFrom, unit_to: unitTo } : {}),
      ...Object.fromEntries(chosen),
    },
    change,
  ]
}

/** The filters that a part of a chart sets; those that it does not name are cleared. */
export interface ListedPart {
  readonly unit_from?: string
  readonly unit_to?: string
  readonly verdict?: string
  readonly outcome?: string
  readonly min?: string
  readonly max?: string
}

const NO_FILTERS = {
  unit_from: undefined,
  unit_to: undefined,
  verdict: undefined,
  outcome: undefined,
  min: undefined,
  max: undefined,
}

/** Lists the evaluations behind a part of a chart and goes to the list; the back button leads back. */
export function useListEvaluations(): (part: ListedPart) => void {
  const [, change] = useQueryState()
  return (part) => {
    change({ ...NO_FILTERS, ...part }, { isStep: true })
    const list = document.getElementById(EVALUATIONS_ID)
    list?.scrollIntoView({ block: 'start' })
    list?.focus({ preventScroll: true })
  }
}
