import { createSavedView } from '../../../control/saved-views.ts'
import { defineRoute } from '../../route.ts'
import { savedViewInput, savedViewOutput, toDefinition, toWireView } from './saved-view-wire.ts'

export const createSavedViewRoute = defineRoute({
  method: 'POST',
  path: '/v2/saved-views',
  operationId: 'createSavedView',
  tag: 'Traces',
  summary: 'Save a view',
  description:
    'A filter and columns of the list of traces or sessions, which everyone in the project can use.',
  access: 'write',
  body: savedViewInput,
  success: { status: 201, description: 'The view.', schema: savedViewOutput },
  errors: { 409: 'The project has a view of that name.' },
  async handle({ principal, body }, deps) {
    return toWireView(await createSavedView(deps, principal, toDefinition(body)))
  },
})
