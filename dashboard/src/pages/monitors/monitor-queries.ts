import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ApiError, api, get, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { boundsOf, type RangeName } from '../../ui/time-range.ts'

export type Monitor = components['schemas']['Monitor']
export type Evaluation = components['schemas']['ListedEvaluation']
export type EvaluationDetail = components['schemas']['EvaluationDetail']
export type Series = components['schemas']['Series']
export type VerdictRule = components['schemas']['VerdictRule']

/** True where the rule of a monitor calls answers good or bad. A monitor has no rule until the first look after an upgrade. */
export const hasVerdicts = ({ verdict }: Monitor): boolean => verdict?.property !== undefined

/** Results come in all the time; a chart that is half a minute old is good enough. */
const REFRESH_MS = 30_000

/** True for an answer of 404. */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404

export function monitorOf(id: string) {
  return queryOptions({
    queryKey: ['monitor', id],
    queryFn: () => ok(api.GET('/v2/monitors/{id}', { params: { path: { id } } })),
  })
}

export function useMonitor(id: string) {
  return useQuery({ ...monitorOf(id), refetchInterval: REFRESH_MS })
}

/** The definition of an evaluator, with the fields of its answer. One that was deleted is not there any more. */
export function useEvaluator(slug: string | undefined) {
  return useQuery({
    queryKey: ['evaluator', slug],
    queryFn: () => ok(api.GET('/v2/evaluators/{evaluator}', { params: { path: { evaluator: slug ?? '' } } })),
    enabled: slug !== undefined,
    staleTime: 60_000,
    retry: false,
  })
}

/** How a monitor is looked at; stands in the address. */
export interface ChartChoice {
  readonly range: RangeName
  readonly property?: string
  readonly aggregation?: string
  readonly bucket?: string
  readonly version?: string
}

/** Few enough points for a line that can be read, also where little happens. */
export const AUTOMATIC_BUCKETS: Readonly<Record<RangeName, Series['bucket']>> = {
  '1h': '1m',
  '24h': '1h',
  '7d': '6h',
  '30d': '1d',
}

export function seriesOf(id: string, choice: ChartChoice) {
  const { range, bucket = AUTOMATIC_BUCKETS[range], ...rest } = choice
  return queryOptions({
    queryKey: ['series', id, choice],
    queryFn: () => get<Series>(`/v2/monitors/${id}/series`, { ...rest, bucket, ...boundsOf(range) }),
  })
}

export function useSeries(id: string, choice: ChartChoice) {
  return useQuery({
    ...seriesOf(id, choice),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}

export type Distribution = components['schemas']['Distribution']

export function useDistribution(id: string, { range, property, version }: ChartChoice) {
  return useQuery({
    queryKey: ['distribution', id, range, property, version],
    queryFn: () =>
      get<Distribution>(`/v2/monitors/${id}/distribution`, { property, version, ...boundsOf(range) }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}

export type Breakdown = components['schemas']['Breakdown']

export function useBreakdown(id: string, by: string, { range, property }: ChartChoice) {
  return useQuery({
    queryKey: ['breakdown', id, by, range, property],
    queryFn: () => get<Breakdown>(`/v2/monitors/${id}/breakdown`, { by, property, ...boundsOf(range) }),
    placeholderData: keepPreviousData,
    enabled: by !== '',
  })
}

/** Attributes that stored spans have, for suggestions. */
export function useSpanAttributes(q: string, isWanted: boolean) {
  return useQuery({
    queryKey: ['span-attributes', q],
    queryFn: () => get<components['schemas']['SpanAttributes']>('/v2/span-attributes', { q, limit: 20 }),
    placeholderData: keepPreviousData,
    enabled: isWanted,
    staleTime: 60_000,
  })
}

export function useAgreement(id: string) {
  return useQuery({
    queryKey: ['agreement', id],
    queryFn: () => ok(api.GET('/v2/monitors/{id}/agreement', { params: { path: { id } } })),
  })
}

/** Which results of a monitor are listed, and in which order. */
export interface EvaluationsChoice {
  readonly range: RangeName
  readonly order: 'newest' | 'worst' | 'best'
  readonly status?: string
  readonly verdict?: 'pass' | 'fail'
  readonly min_value?: string
  readonly max_value?: string
}

interface EvaluationsPage {
  readonly evaluations: readonly Evaluation[]
  readonly next_cursor?: string
  /** Only where an order by value was asked for. */
  readonly evaluations_sampled?: number
}

const PAGE = 50

export function useEvaluations(monitorId: string, choice: EvaluationsChoice) {
  const { range, order, ...filter } = choice
  return useInfiniteQuery({
    queryKey: ['evaluations', monitorId, choice],
    queryFn: ({ pageParam }) =>
      get<EvaluationsPage>('/v2/evaluations', {
        ...filter,
        ...boundsOf(range),
        monitor_id: monitorId,
        limit: PAGE,
        cursor: pageParam,
        order: order === 'newest' ? undefined : order,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  })
}

/** A query string for the export of what is listed. */
export function exportQuery(
  monitorId: string,
  { range, order: _, ...filter }: EvaluationsChoice,
  format: 'csv' | 'jsonl',
): string {
  const chosen = Object.entries({ ...filter, ...boundsOf(range), monitor_id: monitorId, format })
  return new URLSearchParams(
    chosen.filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString()
}

export function evaluationOf(id: string) {
  return queryOptions({
    queryKey: ['evaluation', id],
    queryFn: () => ok(api.GET('/v2/evaluations/{id}', { params: { path: { id } } })),
  })
}

export function useEvaluation(id: string) {
  return useQuery(evaluationOf(id))
}

/** The subject of an annotation, as the interface takes it. */
export function aboutOf({ scope, session_id, trace_id, span_id }: Evaluation) {
  if (scope === 'session' && session_id !== undefined) return { session_id }
  return span_id === undefined ? { trace_id } : { trace_id, span_id }
}
