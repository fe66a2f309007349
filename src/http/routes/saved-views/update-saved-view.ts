import { replaceSavedView } from '../../../control/saved-views.ts'
import { defineRoute } from '../../route.ts'
import {
  savedViewInput,
  savedViewOutput,
  savedViewParams,
  toDefinition,
  toWireView,
} from './saved-view-wire.ts'

export const updateSavedViewRoute = defineRoute({
  method: 'PUT',
  path: '/v2/saved-views/{id}',
  operationId: 'updateSavedView',
  tag: 'Traces',
  summary: 'Replace a saved view',
  access: 'write',
  params: savedViewParams,
  body: savedViewInput,
  success: { status: 200, description: 'The view.', schema: savedViewOutput },
  errors: { 404: 'The project has no such view.', 409: 'Another view of the project has that name.' },
  async handle({ principal, params, body }, deps) {
    return toWireView(await replaceSavedView(deps, principal, params.id, toDefinition(body)))
  },
})
