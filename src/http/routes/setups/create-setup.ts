import { createSetup } from '../../../control/setups.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { defineRoute } from '../../route.ts'
import { answerSetup, evaluatorsFor } from './setup-answers.ts'
import { checkSetup, setupCreateInput } from './setup-input.ts'
import { setupOutput } from './setup-output.ts'

export const createSetupRoute = defineRoute({
  method: 'POST',
  path: '/v2/auto-monitor-setups',
  operationId: 'createAutoMonitorSetup',
  tag: 'Auto monitor setups',
  summary: 'Create a setup',
  description: 'Stores the setup with status `pending`; it is processed asynchronously.',
  access: 'write',
  body: setupCreateInput,
  // Its evaluators are checked too, item by item.
  bodyAs: 'object',
  success: { status: 201, description: 'The stored setup.', schema: setupOutput },
  errors: {
    403: 'The key lacks the scope, or the organization has as many as it may; the message says which.',
  },
  async handle({ principal, body }, deps) {
    const item = checkSetup(body, await evaluatorsFor(deps, principal, [body]))
    if ('message' in item) throw invalidInput(item.message)
    return answerSetup(deps, principal, await createSetup(deps, principal, item.value))
  },
})
