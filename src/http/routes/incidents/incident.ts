import * as z from 'zod'
import { notFound } from '../../../domain/errors.ts'
import type { ProjectTenant } from '../../../domain/tenant.ts'
import type { IncidentDecision, IncidentDetail } from '../../../ports/incident-storage.ts'
import { showIncident } from '../../../query/incidents/show-incident.ts'
import { defineRoute, type RouteDeps } from '../../route.ts'
import { boundedText, requiredName } from '../../wire/text-schemas.ts'
import { incidentDetailOutput, toWireIncidentDetail } from './incident-wire.ts'

const TAG = 'Incidents'
const NAME_CHARS_MAX = 255
const REASON_CHARS_MAX = 2_000
const NOT_FOUND = 'The project has no such incident.'

const incidentParams = z.object({ id: z.string().describe('Id of the incident.') })
const decisionInput = z
  .object({
    actor: requiredName(NAME_CHARS_MAX).optional().describe('The name of the person.'),
    reason: boundedText(REASON_CHARS_MAX).optional().describe('Why.'),
  })
  .meta({ id: 'IncidentDecision' })

export const getIncidentRoute = defineRoute({
  method: 'GET',
  path: '/v2/incidents/{id}',
  operationId: 'getIncident',
  tag: TAG,
  summary: 'Read an incident',
  access: 'read',
  params: incidentParams,
  success: { status: 200, description: 'The incident.', schema: incidentDetailOutput },
  errors: { 404: NOT_FOUND },
  async handle({ principal, params }, deps) {
    return answer(deps, principal, await deps.storage.getIncident(principal, params.id))
  },
})

export const dismissIncidentRoute = defineRoute({
  method: 'POST',
  path: '/v2/incidents/{id}/dismiss',
  operationId: 'dismissIncident',
  tag: TAG,
  summary: 'Dismiss an incident',
  description:
    'Says that it needs no attention. From then on the level since its onset is taken as normal. One that is dismissed stays as it is.',
  access: 'write',
  params: incidentParams,
  body: decisionInput,
  success: { status: 200, description: 'The incident, dismissed.', schema: incidentDetailOutput },
  errors: { 404: NOT_FOUND },
  handle: ({ principal, params, body }, deps) => decide(deps, principal, params.id, 'dismissed', body),
})

export const reopenIncidentRoute = defineRoute({
  method: 'POST',
  path: '/v2/incidents/{id}/reopen',
  operationId: 'reopenIncident',
  tag: TAG,
  summary: 'Open an incident again',
  description: 'Watches its monitors again until their pass rates have come back.',
  access: 'write',
  params: incidentParams,
  body: decisionInput,
  success: { status: 200, description: 'The incident, open.', schema: incidentDetailOutput },
  errors: { 404: NOT_FOUND },
  handle: ({ principal, params, body }, deps) => decide(deps, principal, params.id, 'open', body),
})

async function decide(
  deps: RouteDeps,
  tenant: ProjectTenant,
  id: string,
  state: IncidentDecision['state'],
  { actor, reason }: z.output<typeof decisionInput>,
) {
  const atMs = deps.clock.nowMs()
  const decision = { state, atMs, ...(actor ? { actor } : {}), ...(reason ? { reason } : {}) }
  return answer(deps, tenant, await deps.storage.decideIncident(tenant, id, decision))
}

async function answer({ storage, clock }: RouteDeps, tenant: ProjectTenant, found?: IncidentDetail) {
  if (!found) throw notFound('incident not found')
  return toWireIncidentDetail(await showIncident(storage, tenant, found, clock.nowMs()))
}
