import type { components } from '../../api/schema.gen.ts'

type Series = components['schemas']['Series']

/** The values of a whole period as one number, and how many they are. */
export interface Overall {
  readonly value: number
  readonly count: number
}

/** Two periods that can be compared, or the reason why they cannot. */
export type Comparison =
  | { readonly now: Overall; readonly before: Overall }
  | { readonly reason: 'nothing before' | 'nothing now' | 'versions' | 'aggregation' }

/**
 * Compares a series with that of the period before. Scores of two versions of a monitor are never compared, and medians of buckets
 * do not make the median of a period.
 */
export function comparePeriods(shown: Series, previous: Series): Comparison {
  const points = [...shown.points, ...previous.points].filter(({ value }) => value !== undefined)
  if (new Set(points.map(({ version }) => version)).size > 1) return { reason: 'versions' }
  if (['median', 'p95'].includes(shown.aggregation)) return { reason: 'aggregation' }
  const [now, before] = [overallOf(shown), overallOf(previous)]
  if (!now) return { reason: 'nothing now' }
  return before ? { now, before } : { reason: 'nothing before' }
}

function overallOf({ aggregation, points }: Series): Overall | undefined {
  const known = points.flatMap(({ value, count }) => (value === undefined ? [] : [{ value, count }]))
  if (known.length === 0) return undefined
  const count = known.reduce((sum, point) => sum + point.count, 0)
  const values = known.map(({ value }) => value)
  switch (aggregation) {
    case 'min':
      return { value: Math.min(...values), count }
    case 'max':
      return { value: Math.max(...values), count }
    case 'sum':
    case 'count':
      return { value: values.reduce((sum, value) => sum + value, 0), count }
    default:
      return { value: known.reduce((sum, point) => sum + point.value * point.count, 0) / count, count }
  }
}
