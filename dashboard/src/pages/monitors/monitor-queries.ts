import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ApiError, api, get, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { periodBefore } from '../../ui/custom-range.ts'
import { boundsOf, rangeMs, type TimeRange } from '../../ui/time-range.ts'
import { automaticBucket } from './chart-data.ts'

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
  readonly range: TimeRange
  readonly property?: string
  readonly aggregation?: string
  readonly bucket?: string
  readonly version?: string
}

export function seriesOf(id: string, choice: ChartChoice) {
  const { range, bucket = automaticBucket(rangeMs(range)), ...rest } = choice
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

/** The series of the period before the one that is shown; nothing is asked for while that one is not known. */
export function usePreviousSeries(id: string, choice: ChartChoice, shown: Series | undefined) {
  const { range: _, ...rest } = choice
  const before = shown && { ...rest, bucket: shown.bucket, ...periodBefore(shown) }
  return useQuery({
    queryKey: ['series', id, before],
    queryFn: () => get<Series>(`/v2/monitors/${id}/series`, before ?? {}),
    placeholderData: keepPreviousData,
    enabled: before !== undefined,
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
  readonly range: TimeRange
  readonly order: 'newest' | 'worst' | 'best'
  readonly status?: string
  readonly verdict?: 'pass' | 'fail'
  readonly min_value?: string
  readonly max_value?: string
  /** By the start of the unit, in place of the range. */
  readonly unit_from?: string
  readonly unit_to?: string
}

interface EvaluationsPage {
  readonly evaluations: readonly Evaluation[]
  readonly next_cursor?: string
  /** Only where an order by value was asked for. */
  readonly evaluations_sampled?: number
}

const PAGE = 50
/** The server looks at a limited number of results for one page. Of empty pages, at most so many are asked for in a row. */
const EMPTY_PAGES_MAX = 25

export function useEvaluations(monitorId: string, choice: EvaluationsChoice) {
  const { order } = choice
  return useInfiniteQuery({
    queryKey: ['evaluations', monitorId, choice],
    queryFn: async ({ pageParam }) => {
      let cursor = pageParam
      for (let pages = 1; ; pages++) {
        const page = await get<EvaluationsPage>('/v2/evaluations', {
          ...filterOf(monitorId, choice),
          limit: PAGE,
          cursor,
          order: order === 'newest' ? undefined : order,
        })
        cursor = page.next_cursor
        if (page.evaluations.length > 0 || cursor === undefined || pages >= EMPTY_PAGES_MAX) return page
      }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  })
}

function filterOf(monitorId: string, { range, order: _, ...filter }: EvaluationsChoice) {
  const recorded = filter.unit_from === undefined ? boundsOf(range) : {}
  return { ...filter, ...recorded, monitor_id: monitorId }
}

/** A query string for the export of what is listed. */
export function exportQuery(monitorId: string, choice: EvaluationsChoice, format: 'csv' | 'jsonl'): string {
  const chosen = Object.entries({ ...filterOf(monitorId, choice), format })
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
