import * as z from 'zod'
import { INCIDENT_STATES } from '../../../domain/incidents/incident.ts'
import { defined } from '../../../lib/defined.ts'
import { defineRoute } from '../../route.ts'
import { cursorParam, toCursor } from '../../wire/cursor.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { spanName } from '../../wire/text-schemas.ts'
import { incidentOutput, toWireIncident } from './incident-wire.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
const CURSOR = 'incidents'

export const listIncidentsRoute = defineRoute({
  method: 'GET',
  path: '/v2/incidents',
  operationId: 'listIncidents',
  tag: 'Incidents',
  summary: 'List incidents',
  description:
    'Falls of the pass rate of an application that are more than chance, the newest first. docs/incidents.md says how they are found.',
  access: 'read',
  query: z.object({
    state: z.enum(INCIDENT_STATES).optional(),
    application: spanName().optional().describe('Only incidents of this application.'),
    limit: pageLimit(LIMIT_MAX).optional().describe(`Largest number; ${LIMIT_DEFAULT} when absent.`),
    cursor: cursorParam(CURSOR).optional(),
  }),
  success: {
    status: 200,
    description: 'A page of incidents.',
    schema: z.object({
      incidents: z.array(incidentOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage }) {
    const limit = query.limit ?? LIMIT_DEFAULT
    const filter = defined({ state: query.state, application: query.application })
    // One more than asked for tells whether there is a next page.
    const range = { limit: limit + 1, ...defined({ beforeNumber: query.cursor }) }
    const incidents = await storage.listIncidents(principal, filter, range)
    const page = incidents.slice(0, limit)
    const last = page.at(-1)
    return {
      incidents: page.map(toWireIncident),
      ...(incidents.length > limit && last ? { next_cursor: toCursor(CURSOR, last.number) } : {}),
    }
  },
})
