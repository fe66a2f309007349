import * as z from 'zod'
import { requireOperator } from '../../../control/administration.ts'
import { putLimits, readLimitsAndUse } from '../../../control/limits.ts'
import { KEY_PERMISSIONS } from '../../../domain/tenant.ts'
import { defineRoute } from '../../route.ts'
import { fromWireLimits, limitsInput, limitsOutput, toWireLimits } from './limit-wire.ts'

const organizationParams = z.object({ org_id: z.string() })
const ONLY_OPERATOR =
  'Allowed only to keys with the scope `admin` in the organization that was made at the first start.'

export const getLimitsRoute = defineRoute({
  method: 'GET',
  path: '/v2/limits',
  operationId: 'getLimits',
  tag: 'Tenancy',
  summary: 'Show the limits of the organization and what it uses',
  description: 'A key of any scope can ask.',
  access: KEY_PERMISSIONS,
  success: { status: 200, description: 'Every limit.', schema: limitsOutput },
  async handle({ principal }, deps) {
    const { requestLimits } = deps
    return toWireLimits(await readLimitsAndUse(deps, principal), requestLimits?.rates.useOf(principal))
  },
})

export const getOrganizationLimitsRoute = defineRoute({
  method: 'GET',
  path: '/v2/organizations/{org_id}/limits',
  operationId: 'getOrganizationLimits',
  tag: 'Tenancy',
  summary: 'Show the limits of an organization and what it uses',
  description: ONLY_OPERATOR,
  access: 'admin',
  params: organizationParams,
  success: { status: 200, description: 'Every limit.', schema: limitsOutput },
  errors: { 404: 'There is no such organization.' },
  async handle({ principal, params }, deps) {
    requireOperator(principal, 'sees limits of other organizations')
    return toWireLimits(await readLimitsAndUse(deps, { orgId: params.org_id }))
  },
})

export const putOrganizationLimitsRoute = defineRoute({
  method: 'PUT',
  path: '/v2/organizations/{org_id}/limits',
  operationId: 'putOrganizationLimits',
  tag: 'Tenancy',
  summary: 'Set the limits of an organization',
  description: `Replaces all of them; they apply at once. ${ONLY_OPERATOR}`,
  access: 'admin',
  params: organizationParams,
  body: limitsInput,
  success: { status: 200, description: 'Every limit.', schema: limitsOutput },
  errors: { 404: 'There is no such organization.' },
  async handle({ principal, params, body }, deps) {
    requireOperator(principal, 'sets limits')
    await putLimits(deps, params.org_id, fromWireLimits(body))
    return toWireLimits(await readLimitsAndUse(deps, { orgId: params.org_id }))
  },
})
