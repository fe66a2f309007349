import { RESTORE_HOURS_MAX, restoreSetup } from '../../../control/setups.ts'
import { defineRoute } from '../../route.ts'
import { externalIdParams } from '../../wire/path-params.ts'
import { answerSetup } from './setup-answers.ts'
import { setupOutput } from './setup-output.ts'

export const restoreSetupRoute = defineRoute({
  method: 'POST',
  path: '/v2/auto-monitor-setups/{external_id}/restore',
  operationId: 'restoreAutoMonitorSetup',
  tag: 'Auto monitor setups',
  summary: 'Restore a deleted setup',
  description:
    `Undoes the last deletion of the setup for ${RESTORE_HOURS_MAX} hours. The setup has the same id, and its monitors go on ` +
    'with the same versions, results and series. Spans that arrived in between are not scored, and work that was waiting when ' +
    'the setup was deleted stays cancelled; a backfill scores both.',
  access: 'write',
  params: externalIdParams,
  success: { status: 200, description: 'The restored setup.', schema: setupOutput },
  errors: {
    404: `The project has deleted no such setup in the last ${RESTORE_HOURS_MAX} hours.`,
    409: 'Another setup of the project has this external id.',
  },
  async handle({ principal, params }, deps) {
    return answerSetup(deps, principal, await restoreSetup(deps, principal, params.external_id))
  },
})
