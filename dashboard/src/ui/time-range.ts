import { useLocation, useSearch } from 'wouter'

/** Spans of time that pages can show, by the word that stands in the address. */
export const RANGES = {
  '1h': { label: 'Last hour', ms: 3_600_000 },
  '24h': { label: 'Last 24 hours', ms: 86_400_000 },
  '7d': { label: 'Last 7 days', ms: 7 * 86_400_000 },
  '30d': { label: 'Last 30 days', ms: 30 * 86_400_000 },
} as const
export type RangeName = keyof typeof RANGES

/** The query parameters of the address, and a function that changes them without leaving the page. */
export function useQueryState(): [
  URLSearchParams,
  (change: Readonly<Record<string, string | undefined>>) => void,
] {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const change = (changes: Readonly<Record<string, string | undefined>>) => {
    const next = new URLSearchParams(search)
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') next.delete(name)
      else next.set(name, value)
    }
    const text = next.toString()
    navigate(text ? `${path}?${text}` : path, { replace: true })
  }
  return [new URLSearchParams(search), change]
}

/** The range that the address names. */
export function useRange(fallback: RangeName = '24h'): [RangeName, (range: RangeName) => void] {
  const [query, change] = useQueryState()
  return [rangeIn(query, fallback), (next) => change({ range: next })]
}

export function rangeIn(query: URLSearchParams, fallback: RangeName = '24h'): RangeName {
  const named = query.get('range') ?? ''
  return named in RANGES ? (named as RangeName) : fallback
}

/** Bounds of a range for a request. Rounded to ten seconds, so that the same page asks the same thing for a while. */
export function boundsOf(range: RangeName, nowMs = Date.now()): { from: string; to: string } {
  const to = Math.ceil(nowMs / 10_000) * 10_000
  return { from: new Date(to - RANGES[range].ms).toISOString(), to: new Date(to).toISOString() }
}
