import { getSetup } from '../../../control/setups.ts'
import { defineRoute } from '../../route.ts'
import { externalIdParams } from '../../wire/path-params.ts'
import { answerSetup } from './setup-answers.ts'
import { setupOutput } from './setup-output.ts'

export const getSetupRoute = defineRoute({
  method: 'GET',
  path: '/v2/auto-monitor-setups/{external_id}',
  operationId: 'getAutoMonitorSetup',
  tag: 'Auto monitor setups',
  summary: 'Read a setup',
  access: 'read',
  params: externalIdParams,
  success: { status: 200, description: 'The setup.', schema: setupOutput },
  errors: { 404: 'The project has no such setup.' },
  async handle({ principal, params }, deps) {
    return answerSetup(deps, principal, await getSetup(deps, principal, params.external_id))
  },
})
