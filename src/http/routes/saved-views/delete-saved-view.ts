import { deleteSavedView } from '../../../control/saved-views.ts'
import { defineRoute } from '../../route.ts'
import { savedViewParams } from './saved-view-wire.ts'

export const deleteSavedViewRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/saved-views/{id}',
  operationId: 'deleteSavedView',
  tag: 'Traces',
  summary: 'Delete a saved view',
  access: 'write',
  params: savedViewParams,
  success: { status: 204, description: 'The view is gone.' },
  errors: { 404: 'The project has no such view.' },
  handle: ({ principal, params }, deps) => deleteSavedView(deps, principal, params.id),
})
