import * as z from 'zod'
import { listSetups } from '../../../control/setups.ts'
import type { Setup } from '../../../domain/setup.ts'
import type { Principal } from '../../../domain/tenant.ts'
import { defined } from '../../../lib/defined.ts'
import type { SetupFilter } from '../../../ports/storage.ts'
import { defineRoute, JsonText, type RouteDeps } from '../../route.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { answerSetups } from './setup-answers.ts'
import { setupOutput } from './setup-output.ts'

const LIMIT_MAX = 1_000
/** How many setups are read and written at a time when all are asked for. */
const PAGE_SETUPS = 500

export const listSetupsRoute = defineRoute({
  method: 'GET',
  path: '/v2/auto-monitor-setups',
  operationId: 'listAutoMonitorSetups',
  tag: 'Auto monitor setups',
  summary: 'List setups',
  description: 'In order of creation. Without `limit` all setups are returned.',
  access: 'read',
  query: z.object({
    status: z
      .string()
      .optional()
      .describe('Only setups of this status; an unknown one matches none, an empty one is no filter.'),
    external_id: z
      .string()
      .optional()
      .describe('Only the setup of this external id; an empty one is no filter.'),
    limit: pageLimit(LIMIT_MAX).optional().describe('Largest number of setups.'),
    cursor: z.string().optional().describe('The `x-next-cursor` of the page before.'),
  }),
  success: {
    status: 200,
    description: 'The setups.',
    schema: z.array(setupOutput),
    headers: { 'x-next-cursor': 'Present when a limit was given and more setups follow: the next `cursor`.' },
  },
  async handle({ principal, query, setHeader }, deps) {
    const filter = {
      ...(query.status ? { status: query.status } : {}),
      ...(query.external_id ? { externalId: query.external_id } : {}),
    }
    if (query.limit === undefined) return listAll(deps, principal, filter, query.cursor)
    const { page, hasMore } = await readPage(deps, principal, filter, query.cursor, query.limit)
    const last = page.at(-1)
    if (hasMore && last) setHeader('x-next-cursor', last.id)
    return answerSetups(deps, principal, page)
  },
})

/**
 * Everything, page by page, each turned into text by itself: 10,000 setups are 18 MB, which in one piece would hold up all
 * other requests for a quarter of a second.
 */
async function listAll(
  deps: RouteDeps,
  principal: Principal,
  filter: SetupFilter,
  cursor: string | undefined,
): Promise<JsonText> {
  const texts: string[] = []
  for (let after = cursor; ; ) {
    const { page, hasMore } = await readPage(deps, principal, filter, after, PAGE_SETUPS)
    const text = JSON.stringify(await answerSetups(deps, principal, page))
    if (page.length > 0) texts.push(text.slice(1, -1))
    after = page.at(-1)?.id
    if (!hasMore) return new JsonText(`[${texts.join(',')}]`)
  }
}

async function readPage(
  deps: RouteDeps,
  principal: Principal,
  filter: SetupFilter,
  cursor: string | undefined,
  limit: number,
): Promise<{ page: Setup[]; hasMore: boolean }> {
  // One more than asked for tells whether there is a next page.
  const place = { limit: limit + 1, ...defined({ afterId: cursor }) }
  const setups = await listSetups(deps, principal, { ...filter, ...place })
  return { page: setups.slice(0, limit), hasMore: setups.length > limit }
}
