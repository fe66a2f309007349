import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { Suggestion } from '../../ui/combobox.tsx'
import { formatCompact, formatCount } from '../../ui/format.ts'
import type { Source } from './setup-definition.ts'

const ATTRIBUTES_MAX = 1_000
const VALUES_MAX = 200
const SHOWN_MAX = 60
/** The attributes of spans change slowly, and every row of a form asks for them. */
const FRESH_MS = 60_000

/** The attributes that stored spans have; one request for all rows of all forms. */
export function useSpanAttributes() {
  return useQuery({
    queryKey: ['span-attributes'],
    queryFn: () => ok(api.GET('/v2/span-attributes', { params: { query: { limit: ATTRIBUTES_MAX } } })),
    staleTime: FRESH_MS,
  })
}

/** Keys that contain what was typed, those of the chosen source first. */
export function useKeySuggestions(source: Source, typed: string) {
  const { data } = useSpanAttributes()
  const all = data?.attributes ?? []
  const found = all.filter(({ key }) => key.toLowerCase().includes(typed.toLowerCase()))
  const ordered = [
    ...found.filter((each) => each.source === source),
    ...found.filter((each) => each.source !== source),
  ]
  const byKey = new Map<string, Suggestion>()
  for (const each of ordered.slice(0, SHOWN_MAX)) {
    const place = each.source === source ? '' : each.source === 'span_attributes' ? 'span · ' : 'resource · '
    const spans = `${place}${formatCompact(each.spans)} of ${formatCompact(data?.spans_sampled ?? 0)} spans`
    if (!byKey.has(each.key)) byKey.set(each.key, { value: each.key, note: spans })
  }
  /** Where a key is found; undefined when it is unknown or in both places. */
  const sourceOf = (key: string): Source | undefined => {
    const places = all.filter((each) => each.key === key)
    return places.length === 1 ? places[0]?.source : undefined
  }
  return { suggestions: [...byKey.values()], sourceOf }
}

/** Values that spans have under a key, the most frequent first. Cut ones are left out: they would match nothing. */
export function useValueSuggestions(source: Source, key: string, typed: string): Suggestion[] {
  const { data } = useQuery({
    queryKey: ['span-attributes', source, key],
    queryFn: () =>
      ok(api.GET('/v2/span-attributes/values', { params: { query: { source, key, limit: VALUES_MAX } } })),
    enabled: key !== '',
    staleTime: FRESH_MS,
  })
  const whole = (data?.values ?? []).filter(({ value, is_cut }) => !is_cut && value !== '')
  const found = whole.filter(({ value }) => value.toLowerCase().includes(typed.toLowerCase()))
  return found.slice(0, SHOWN_MAX).map(({ value, spans }) => ({ value, note: formatCount(spans, 'span') }))
}
