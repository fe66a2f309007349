import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'

export type Suggestions = components['schemas']['Suggestions']
export type Application = components['schemas']['ApplicationSuggestions']
export type Suggestion = components['schemas']['Suggestion']
export type Preview = components['schemas']['SuggestionPreview']

const WAITING_MS = 3_000
const SEEN_MS = 30_000

/** The suggestions for what has arrived; asked for again until there are any, so that they appear by themselves. */
export function useSuggestions() {
  return useQuery({
    queryKey: ['suggestions'],
    queryFn: () => ok(api.GET('/v2/suggestions')),
    refetchInterval: ({ state }) => (state.data?.applications.length ? SEEN_MS : WAITING_MS),
  })
}
