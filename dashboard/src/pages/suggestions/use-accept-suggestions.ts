import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { ApiError, api, ok } from '../../api/client.ts'
import type { Application, Suggestion } from './use-suggestions.ts'

/** Creates the setup of the chosen evaluators and the backfill of the last traces, and goes to the page that shows its progress. */
export function useAcceptSuggestions(application: Application, traces: number) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  return useMutation({
    mutationFn: async (chosen: readonly Suggestion[]) => {
      await createSetup(application, chosen)
      return ok(
        api.POST('/v2/auto-monitor-setups/{external_id}/backfill', {
          params: { path: { external_id: application.external_id } },
          body: { limit: traces, limit_by: 'traces' },
        }),
      )
    },
    onSuccess: ({ id }) => {
      navigate(`/suggestions?${new URLSearchParams({ setup: application.external_id, job: id })}`)
      scrollTo({ top: 0 })
      void queries.invalidateQueries({ queryKey: ['suggestions'] })
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['setups'] }),
  })
}

/** A second try, after only the backfill failed, finds the setup there; it is given what was chosen now. */
async function createSetup(application: Application, chosen: readonly Suggestion[]): Promise<void> {
  const { external_id } = application
  const body = {
    external_id,
    selector: application.selector.map(({ op: _, ...rule }) => rule),
    evaluators: chosen.map(({ evaluator_type }) => evaluator_type),
    evaluator_configs: chosen.map(({ config }) => config).filter((config) => Object.keys(config).length > 1),
  }
  try {
    await ok(api.POST('/v2/auto-monitor-setups', { body }))
  } catch (error) {
    const isThere = error instanceof ApiError && error.message.includes('already exists')
    if (!isThere) throw error
    const path = { external_id }
    await ok(api.PUT('/v2/auto-monitor-setups/{external_id}', { params: { path }, body }))
  }
}
