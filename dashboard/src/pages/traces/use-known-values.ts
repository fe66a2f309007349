import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { Suggestion } from '../../ui/combobox.tsx'
import { formatCount } from '../../ui/format.ts'
import { boundsOf, type RangeName } from '../../ui/time-range.ts'
import type { UsageLine } from './trace-types.ts'

type Dimension = 'environment' | 'service' | 'model'

/** Environments, services and models that called models in the range, for suggestions. */
export function useKnownValues(range: RangeName): Readonly<Record<Dimension, readonly Suggestion[]>> {
  const { data } = useQuery({
    queryKey: ['known-values', range],
    queryFn: () =>
      ok(
        api.GET('/v2/usage', {
          params: { query: { ...boundsOf(range), bucket: '1d', group_by: 'environment,service,model' } },
        }),
      ),
    staleTime: 60_000,
  })
  const usage = data?.usage ?? []
  return {
    environment: valuesOf(usage, 'environment'),
    service: valuesOf(usage, 'service'),
    model: valuesOf(usage, 'model'),
  }
}

function valuesOf(usage: readonly UsageLine[], dimension: Dimension): Suggestion[] {
  const calls = new Map<string, number>()
  for (const line of usage) {
    const value = line[dimension]
    if (value) calls.set(value, (calls.get(value) ?? 0) + line.model_calls)
  }
  return [...calls]
    .sort(([, a], [, b]) => b - a)
    .map(([value, count]) => ({ value, note: formatCount(count, 'call') }))
}

/** Slugs of all evaluators. */
export function useEvaluatorSlugs(): readonly Suggestion[] {
  const { data } = useQuery({
    queryKey: ['evaluator-slugs'],
    queryFn: () => ok(api.GET('/v2/evaluators')),
    staleTime: 60_000,
  })
  return (data?.evaluators ?? []).map(({ slug }) => ({ value: slug }))
}
