import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { EvaluatorDetail } from './evaluator-types.ts'

/** Every evaluator that can be used here: the built-in ones and the organization's own. */
export function useCatalogue() {
  return useQuery({
    queryKey: ['evaluators'],
    queryFn: () => ok(api.GET('/v2/evaluators')),
    staleTime: 60_000,
  })
}

/** The judge in use and the measured quality of the embedded judge. */
export function useJudges() {
  return useQuery({ queryKey: ['judges'], queryFn: () => ok(api.GET('/v2/judges', {})), staleTime: 10_000 })
}

/** One evaluator; of a custom one also an older version. */
export function readEvaluator(slug: string, version?: string): Promise<EvaluatorDetail> {
  const query = version === undefined ? {} : { version }
  return ok(api.GET('/v2/evaluators/{evaluator}', { params: { path: { evaluator: slug }, query } }))
}

/** The same for a page that shows it. */
export function useEvaluator(slug: string, version?: string) {
  return useQuery({
    queryKey: ['evaluator', slug, version ?? 'newest'],
    queryFn: () => readEvaluator(slug, version),
  })
}

/** Which versions of a custom evaluator there are, the oldest first. */
export function useVersions(slug: string) {
  return useQuery({
    queryKey: ['evaluator', slug, 'versions'],
    queryFn: () =>
      ok(api.GET('/v2/evaluators/{evaluator}/versions', { params: { path: { evaluator: slug } } })),
  })
}

const MONITORS_SHOWN_MAX = 20

/** The monitors that use an evaluator, the first few of them. */
export function useMonitorsOf(slug: string) {
  return useQuery({
    queryKey: ['monitors', 'of evaluator', slug],
    queryFn: () =>
      ok(
        api.GET('/v2/monitors', {
          params: { query: { evaluator_type: slug, limit: MONITORS_SHOWN_MAX } },
        }),
      ),
  })
}
