import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { defineRoute } from '../../route.ts'
import { cursorParam, toCursor } from '../../wire/cursor.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { MONITOR_STATUSES, monitorOutput, toWireMonitor } from './monitor-wire.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
const CURSOR = 'monitors'

export const listMonitorsRoute = defineRoute({
  method: 'GET',
  path: '/v2/monitors',
  operationId: 'listMonitors',
  tag: 'Results',
  summary: 'List monitors',
  description: 'In order of creation; those of deleted setups, too.',
  access: 'read',
  query: z.object({
    external_id: z.string().optional().describe('Only monitors of this setup.'),
    evaluator_type: z.string().optional().describe('Only monitors with this evaluator slug.'),
    status: z.enum(MONITOR_STATUSES).optional(),
    limit: pageLimit(LIMIT_MAX)
      .optional()
      .describe(`Largest number of monitors; ${LIMIT_DEFAULT} when absent.`),
    cursor: cursorParam(CURSOR).optional(),
  }),
  success: {
    status: 200,
    description: 'A page of monitors.',
    schema: z.object({
      monitors: z.array(monitorOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage }) {
    const limit = query.limit ?? LIMIT_DEFAULT
    const filter = {
      ...defined({ externalId: query.external_id, slug: query.evaluator_type }),
      ...(query.status === undefined ? {} : { isActive: query.status === 'active' }),
    }
    const place = query.cursor === undefined ? {} : { afterNumber: query.cursor }
    // One more than asked for tells whether there is a next page.
    const monitors = await storage.listMonitors(principal, filter, { limit: limit + 1, ...place })
    const page = monitors.slice(0, limit)
    const last = page.at(-1)
    return {
      monitors: page.map(toWireMonitor),
      ...(monitors.length > limit && last ? { next_cursor: toCursor(CURSOR, last.number) } : {}),
    }
  },
})
