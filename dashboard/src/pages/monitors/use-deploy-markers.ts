import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { get } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import type { ChartMarker } from '../../ui/chart-plugins.ts'
import { deployMarkers } from './deploy-markers.ts'
import { type Series, useBreakdown } from './monitor-queries.ts'

type Deployment = components['schemas']['Deployment']

/** Most deployments that are asked for; the newest ones. */
const DEPLOYMENTS_MAX = 50
const REFRESH_MS = 60_000

/** The deployments of the applications that a monitor evaluates, within the time of a chart. */
export function useDeployMarkers(monitorId: string, { from, to }: Series): readonly ChartMarker[] {
  const { data } = useQuery({
    queryKey: ['deployments', from, to],
    queryFn: () =>
      get<{ deployments: readonly Deployment[] }>('/v2/deployments', { from, to, limit: DEPLOYMENTS_MAX }),
    staleTime: REFRESH_MS,
  })
  const deployments = data?.deployments ?? []
  const isWanted = deployments.some(({ previous_version: previous }) => previous !== undefined)
  const services = useBreakdown(monitorId, isWanted ? 'service' : '', { range: { from, to } })
  return useMemo(
    () => deployMarkers(data?.deployments ?? [], services.data?.groups.map(({ value }) => value) ?? []),
    [data, services.data],
  )
}
