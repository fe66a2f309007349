import { useLocation, useSearch } from 'wouter'
import { type CustomRange, customRangeIn, lengthOf, rangeWords, zoomedOut } from './custom-range.ts'

/** Spans of time that pages can show, by the word that stands in the address. */
export const RANGES = {
  '1h': { label: 'Last hour', ms: 3_600_000 },
  '24h': { label: 'Last 24 hours', ms: 86_400_000 },
  '7d': { label: 'Last 7 days', ms: 7 * 86_400_000 },
  '30d': { label: 'Last 30 days', ms: 30 * 86_400_000 },
} as const
export type RangeName = keyof typeof RANGES

/** A named range that ends now, or one between two moments. */
export type TimeRange = RangeName | CustomRange

type QueryChange = Readonly<Record<string, string | undefined>>

/** The query parameters of the address, and a function that changes them without leaving the page. */
export function useQueryState(): [
  URLSearchParams,
  /** With `isStep` the back button undoes the change. */
  (change: QueryChange, options?: { readonly isStep?: boolean }) => void,
] {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const change = (changes: QueryChange, { isStep = false } = {}) => {
    const next = new URLSearchParams(search)
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') next.delete(name)
      else next.set(name, value)
    }
    const text = next.toString()
    navigate(text ? `${path}?${text}` : path, { replace: !isStep })
  }
  return [new URLSearchParams(search), change]
}

/** The named range in the address, for pages that show no others. */
export function useRange(fallback: RangeName = '24h'): [RangeName, (range: RangeName) => void] {
  const [query, change] = useQueryState()
  return [rangeIn(query, fallback), (next) => change({ range: next })]
}

export function rangeIn(query: URLSearchParams, fallback: RangeName = '24h'): RangeName {
  const named = query.get('range') ?? ''
  return Object.hasOwn(RANGES, named) ? (named as RangeName) : fallback
}

/** The range in the address, named or custom. A change of it is a step that the back button undoes. */
export function useTimeRange(fallback: RangeName = '24h'): [TimeRange, (range: TimeRange) => void] {
  const [query, change] = useQueryState()
  return [timeRangeIn(query, fallback), (next) => change(rangeQuery(next), { isStep: true })]
}

export function timeRangeIn(query: URLSearchParams, fallback: RangeName = '24h'): TimeRange {
  return customRangeIn(query) ?? rangeIn(query, fallback)
}

/** A range as the address holds it. */
export function rangeQuery(range: TimeRange): Readonly<Record<'range' | 'from' | 'to', string | undefined>> {
  return typeof range === 'string'
    ? { range, from: undefined, to: undefined }
    : { range: undefined, from: range.from, to: range.to }
}

/** A range as part of a link. */
export function rangeText(range: TimeRange): string {
  const parts = Object.entries(rangeQuery(range)).filter((part): part is [string, string] => !!part[1])
  return new URLSearchParams(parts).toString()
}

/** A range as a heading or an option says it. */
export function rangeLabel(range: TimeRange): string {
  return typeof range === 'string' ? RANGES[range].label : rangeWords(range)
}

/** A range within a sentence: "in the last 24 hours", "from Nov 3, 10:00 to 12:00". */
export function rangePhrase(range: TimeRange): string {
  return typeof range === 'string'
    ? `in the ${RANGES[range].label.toLowerCase()}`
    : `from ${rangeWords(range)}`
}

/** Length of a range in milliseconds. */
export function rangeMs(range: TimeRange): number {
  return typeof range === 'string' ? RANGES[range].ms : lengthOf(range)
}

/** The next larger range; undefined where there is none. */
export function widerRange(range: TimeRange, nowMs: number, daysMax: number): TimeRange | undefined {
  if (typeof range !== 'string') {
    const wider = zoomedOut(range, nowMs, daysMax)
    return lengthOf(wider) > lengthOf(range) ? wider : undefined
  }
  const names = Object.keys(RANGES) as RangeName[]
  return names[names.indexOf(range) + 1]
}

/** Bounds of a range for a request. Rounded to ten seconds, so that the same page asks the same thing for a while. */
export function boundsOf(range: TimeRange, nowMs = Date.now()): { from: string; to: string } {
  if (typeof range !== 'string') return { from: range.from, to: range.to }
  const to = Math.ceil(nowMs / 10_000) * 10_000
  return { from: new Date(to - RANGES[range].ms).toISOString(), to: new Date(to).toISOString() }
}
