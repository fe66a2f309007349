import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, get, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { filterIn, listKey, orderIn } from './inbox-address.ts'

export type ListedEvaluation = components['schemas']['ListedEvaluation']
export type Review = components['schemas']['Review']
export type QueueDetail = components['schemas']['ReviewQueueDetail']
export type Agreement = components['schemas']['ReviewAgreement']

/** An evaluation in the list, with what people said about its verdict. */
export interface InboxItem {
  readonly evaluation: ListedEvaluation
  /** The answer of this reviewer. */
  readonly answer?: Review | undefined
  /** The answers of others; absent where they are not shown yet. */
  readonly others?: readonly Review[] | undefined
}

export interface InboxPage {
  readonly items: readonly InboxItem[]
  readonly next: string | undefined
  /** With the worst first: among how many evaluations they were found. */
  readonly sampled?: number | undefined
}

/** Rows that are read at a time: more than a screen has. */
const PAGE = 30
const INCLUDE = 'preview,reason'

/** A page of the evaluations that the address filters by. */
async function readEvaluations(
  address: URLSearchParams,
  reviewer: string,
  cursor: string | undefined,
): Promise<InboxPage> {
  const order = orderIn(address)
  const page = await get<{
    evaluations: ListedEvaluation[]
    next_cursor?: string
    evaluations_sampled?: number
  }>('/v2/evaluations', {
    ...filterIn(address),
    include: `${INCLUDE},reviews`,
    limit: PAGE,
    cursor,
    order: order === 'newest' ? undefined : order,
  })
  return {
    items: page.evaluations.map((evaluation) => {
      const reviews = evaluation.reviews ?? []
      return {
        evaluation,
        answer: reviews.find((review) => review.reviewer === reviewer),
        others: reviews.filter((review) => review.reviewer !== reviewer),
      }
    }),
    next: page.next_cursor,
    sampled: page.evaluations_sampled,
  }
}

/** A page of a review queue as this reviewer may see it. */
async function readQueueItems(id: string, reviewer: string, cursor: string | undefined): Promise<InboxPage> {
  const query = { include: INCLUDE, limit: PAGE, reviewer, ...(cursor === undefined ? {} : { cursor }) }
  const page = await ok(api.GET('/v2/review-queues/{id}/items', { params: { path: { id }, query } }))
  return {
    items: page.items.map((item) => ({
      evaluation: item.evaluation,
      answer: item.answer,
      others: item.other_answers,
    })),
    next: page.next_cursor,
  }
}

/** The key of the list that the address names, for this reviewer. */
export function inboxKey(address: URLSearchParams, reviewer: string): readonly unknown[] {
  return [...listKey(address), reviewer]
}

/** The list that the address names, page by page. A queue is only read for a reviewer with a name. */
export function inboxOf(address: URLSearchParams, reviewer: string) {
  const queue = address.get('queue')
  return infiniteQueryOptions({
    queryKey: inboxKey(address, reviewer),
    queryFn: ({ pageParam }) =>
      queue === null
        ? readEvaluations(address, reviewer, pageParam)
        : readQueueItems(queue, reviewer, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    enabled: queue === null || reviewer !== '',
    // Rows must not move under the reader's eyes: the list is read again when the reader comes back to the tab, or asks.
    staleTime: 30_000,
  })
}

export function useInbox(address: URLSearchParams, reviewer: string) {
  return useInfiniteQuery(inboxOf(address, reviewer))
}

const PROGRESS_MS = 10_000

/** A queue and its progress, which other people change as well. */
export function queueOf(id: string) {
  return queryOptions({
    queryKey: ['review-queue', id],
    queryFn: () => ok(api.GET('/v2/review-queues/{id}', { params: { path: { id } } })),
    refetchInterval: PROGRESS_MS,
  })
}

/** Review queues of the project, the newest first. */
export function useQueues() {
  return useQuery({
    queryKey: ['review-queues'],
    queryFn: () => ok(api.GET('/v2/review-queues', { params: { query: { limit: 200 } } })),
    staleTime: 30_000,
  })
}

/** Monitors of the project, for the choices of filters. */
export function useFilterMonitors() {
  return useQuery({
    queryKey: ['inbox-monitors'],
    queryFn: () => ok(api.GET('/v2/monitors', { params: { query: { limit: 200 } } })),
    staleTime: 60_000,
  })
}
