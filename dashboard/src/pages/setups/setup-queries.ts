import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { Setup } from './setup-definition.ts'

const PAGE_SETUPS = 100
const WHOLE_PAGE_SETUPS = 1_000
const SOON_MS = 2_500
const WAITING_MS = 5_000
const LATER_MS = 30_000

interface SetupsPage {
  readonly setups: readonly Setup[]
  readonly nextCursor: string | undefined
}

interface PageRequest {
  readonly limit: number
  readonly status?: string
  readonly cursor?: string
}

async function readPage(query: PageRequest): Promise<SetupsPage> {
  const answer = api.GET('/v2/auto-monitor-setups', { params: { query } })
  const setups = await ok(answer)
  return { setups, nextCursor: (await answer).response.headers.get('x-next-cursor') ?? undefined }
}

/** Setups page by page, read anew often while something is under way. */
export function useSetups(status: string | undefined) {
  return useInfiniteQuery({
    queryKey: ['setups', 'list', status ?? ''],
    queryFn: ({ pageParam }) =>
      readPage({
        limit: PAGE_SETUPS,
        ...(status === undefined ? {} : { status }),
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => pollMs(state.data?.pages.flatMap(({ setups }) => setups) ?? []),
  })
}

/** A user who has just made a setup watches for its first spans. */
function pollMs(setups: readonly Setup[]): number {
  const has = (...statuses: readonly string[]) => setups.some(({ status }) => statuses.includes(status))
  if (has('pending', 'in_progress')) return SOON_MS
  return has('waiting_for_spans') ? WAITING_MS : LATER_MS
}

/** The setup of exactly this name, wherever in the list it stands. */
export function useSetupNamed(externalId: string, isEnabled: boolean) {
  return useQuery({
    queryKey: ['setups', 'named', externalId],
    queryFn: () =>
      ok(api.GET('/v2/auto-monitor-setups', { params: { query: { external_id: externalId, limit: 1 } } })),
    enabled: isEnabled && externalId !== '',
  })
}

/** Every setup of the project. */
export async function readAllSetups(): Promise<Setup[]> {
  const all: Setup[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await readPage({ limit: WHOLE_PAGE_SETUPS, ...(cursor === undefined ? {} : { cursor }) })
    all.push(...page.setups)
    cursor = page.nextCursor
    if (cursor === undefined) return all
  }
}
