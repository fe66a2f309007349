import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { RANGES, type RangeName } from '../../ui/time-range.ts'
import { bodyOf, type Definition } from './setup-definition.ts'

export type DryRun = components['schemas']['DryRun']
export type Trial = components['schemas']['EntryTrial']

const SETTLED_MS = 500
const SPANS_MAX = 10_000
/** The service tries two setups at a time; others wait for their turn. */
const TURNS_MAX = 8
const TURN_MS = 1_200
/** Stand in for what is not chosen yet, so that rules can be tried by themselves. */
const SOME_EVALUATOR = 'char-count'
const NO_NAME = 'a setup without a name'

/** The effect of a setup on stored spans. Asked when the writing pauses; what was asked before is given up. */
export function useDryRun(definition: Definition, range: RangeName, isFinished: boolean) {
  const written = JSON.stringify({ definition, isFinished })
  const settled = useSettled(written, SETTLED_MS)
  const query = useQuery({
    queryKey: ['dry-run', settled, range],
    queryFn: ({ signal }) =>
      tryOut((JSON.parse(settled) as { definition: Definition }).definition, range, signal),
    enabled: (JSON.parse(settled) as { isFinished: boolean }).isFinished,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: (failures, error) => error instanceof ApiError && error.status === 429 && failures < TURNS_MAX,
    retryDelay: TURN_MS,
  })
  return { ...query, isCurrent: !query.isFetching && !query.isPlaceholderData && settled === written }
}

function tryOut(definition: Definition, range: RangeName, signal: AbortSignal): Promise<DryRun> {
  const body = {
    ...bodyOf(definition),
    external_id: definition.external_id || NO_NAME,
    evaluators: definition.evaluators.length === 0 ? [SOME_EVALUATOR] : [...definition.evaluators],
    window: { from: new Date(Date.now() - RANGES[range].ms).toISOString() },
    spans_max: SPANS_MAX,
  }
  return ok(api.POST('/v2/auto-monitor-setups/dry-run', { body, signal }))
}

/** A text once it has not changed for a while. */
function useSettled(text: string, ms: number): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms)
    return () => clearTimeout(timer)
  }, [text, ms])
  return settled
}
