import * as z from 'zod'
import { listSetups } from '../../control/setups.ts'
import { defineRoute } from '../route.ts'
import { setupOutput } from '../wire/setup-output.ts'
import { answerSetups } from './setup-answers.ts'

const LIMIT_MAX = 1_000

export const listSetupsRoute = defineRoute({
  method: 'GET',
  path: '/v2/auto-monitor-setups',
  operationId: 'listAutoMonitorSetups',
  tag: 'Auto monitor setups',
  summary: 'List setups',
  description: 'In order of creation. Without `limit` all setups are returned.',
  access: 'read',
  query: z.object({
    status: z.string().optional().describe('Only setups of this status; an unknown one matches none.'),
    external_id: z.string().optional().describe('Only the setup of this external id.'),
    limit: z.coerce.number().int().min(1).max(LIMIT_MAX).optional().describe('Largest number of setups.'),
    cursor: z.string().optional().describe('The `x-next-cursor` of the page before.'),
  }),
  success: {
    status: 200,
    description: 'The setups.',
    schema: z.array(setupOutput),
    headers: { 'x-next-cursor': 'Present when a limit was given and more setups follow: the next `cursor`.' },
  },
  async handle({ principal, query, setHeader }, deps) {
    const setups = await listSetups(deps, principal, {
      ...(query.status === undefined ? {} : { status: query.status }),
      ...(query.external_id === undefined ? {} : { externalId: query.external_id }),
      ...(query.cursor === undefined ? {} : { afterId: query.cursor }),
      // One more than asked for tells whether there is a next page.
      ...(query.limit === undefined ? {} : { limit: query.limit + 1 }),
    })
    const page = query.limit === undefined ? setups : setups.slice(0, query.limit)
    const last = page.at(-1)
    if (page.length < setups.length && last) setHeader('x-next-cursor', last.id)
    return answerSetups(deps, principal, page)
  },
})
