import { updateSetup } from '../../../control/setups.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { defineRoute } from '../../route.ts'
import { externalIdParams } from '../../wire/path-params.ts'
import { answerSetup, evaluatorsFor } from './setup-answers.ts'
import { checkShape, setupUpdateInput, toChange } from './setup-input.ts'
import { setupOutput } from './setup-output.ts'

export const updateSetupRoute = defineRoute({
  method: 'PUT',
  path: '/v2/auto-monitor-setups/{external_id}',
  operationId: 'updateAutoMonitorSetup',
  tag: 'Auto monitor setups',
  summary: 'Update a setup',
  description:
    'What is given replaces, the rest stays; in any case the setup is processed again from `pending`.',
  access: 'write',
  params: externalIdParams,
  body: setupUpdateInput,
  bodyAs: 'object',
  success: { status: 200, description: 'The updated setup.', schema: setupOutput },
  errors: { 404: 'The project has no such setup.' },
  async handle({ principal, params, body: given }, deps) {
    const shape = checkShape(setupUpdateInput, given)
    if ('message' in shape) throw invalidInput(shape.message)
    const body = shape.value
    if (body.external_id !== undefined && body.external_id !== params.external_id) {
      throw invalidInput('external_id cannot be changed')
    }
    const change = toChange(body, await evaluatorsFor(deps, principal, [body]))
    if ('message' in change) throw invalidInput(change.message)
    const setup = await updateSetup(deps, principal, { externalId: params.external_id, change: change.value })
    return answerSetup(deps, principal, setup)
  },
})
