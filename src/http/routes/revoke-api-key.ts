import * as z from 'zod'
import { revokeApiKey } from '../../control/api-keys.ts'
import { defineRoute } from '../route.ts'

export const revokeApiKeyRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/api-keys/{key_id}',
  operationId: 'revokeApiKey',
  tag: 'Tenancy',
  summary: 'Revoke an API key',
  description: 'It stops working at once. The last key with the scope `admin` cannot be revoked.',
  access: 'admin',
  params: z.object({ key_id: z.string() }),
  success: { status: 204, description: 'The key no longer works.' },
  errors: { 404: 'The organization has no such working key.' },
  async handle({ principal, params }, deps) {
    await revokeApiKey(deps, principal, params.key_id)
  },
})
