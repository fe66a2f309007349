import { deleteSetup } from '../../../control/setups.ts'
import { defineRoute } from '../../route.ts'
import { externalIdParams } from '../../wire/path-params.ts'

export const deleteSetupRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/auto-monitor-setups/{external_id}',
  operationId: 'deleteAutoMonitorSetup',
  tag: 'Auto monitor setups',
  summary: 'Delete a setup',
  access: 'write',
  params: externalIdParams,
  success: { status: 204, description: 'The setup is gone.' },
  errors: { 404: 'The project has no such setup.' },
  async handle({ principal, params }, deps) {
    await deleteSetup(deps, principal, params.external_id)
  },
})
