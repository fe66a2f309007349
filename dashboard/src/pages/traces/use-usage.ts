import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { boundsOf, type RangeName, useQueryState } from '../../ui/time-range.ts'
import type { Group } from './usage-series.ts'

const FILTERS = ['environment', 'service', 'model'] as const

/** The use of models in a range, as far as the filters of the list can be asked of it. */
export function useUsage(range: RangeName, group?: Group) {
  const [address] = useQueryState()
  const filter = Object.fromEntries(
    FILTERS.flatMap((name) => (address.get(name) ? [[name, address.get(name) as string]] : [])),
  )
  return useQuery({
    queryKey: ['usage', range, group, filter],
    queryFn: () => {
      const query = { ...boundsOf(range), ...filter, ...(group ? { group_by: group } : {}) }
      return ok(api.GET('/v2/usage', { params: { query } }))
    },
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  })
}
