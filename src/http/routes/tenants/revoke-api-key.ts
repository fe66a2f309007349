import * as z from 'zod'
import { revokeApiKeyFor } from '../../../control/api-keys.ts'
import { defineRoute } from '../../route.ts'

export const revokeApiKeyRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/api-keys/{key_id}',
  operationId: 'revokeApiKey',
  tag: 'Tenancy',
  summary: 'Revoke an API key',
  description:
    'It stops working at once. The last key that administers the organization cannot be revoked. An admin key of another ' +
    'than the default project revokes only keys of its own project.',
  access: 'admin',
  params: z.object({ key_id: z.string() }),
  success: { status: 204, description: 'The key no longer works.' },
  errors: { 404: 'There is no such working key, or the caller does not administer its project.' },
  async handle({ principal, params }, deps) {
    await revokeApiKeyFor(deps, principal, params.key_id)
  },
})
