import * as z from 'zod'
import { listApiKeysOf } from '../../../control/api-keys.ts'
import { defineRoute } from '../../route.ts'
import { apiKeyOutput, toWireApiKey } from './tenant-wire.ts'

export const listApiKeysRoute = defineRoute({
  method: 'GET',
  path: '/v2/api-keys',
  operationId: 'listApiKeys',
  tag: 'Tenancy',
  summary: 'List API keys',
  description:
    'Those of the organization for a key of its default project, and otherwise those of the own project. Revoked ones too; ' +
    'never a secret.',
  access: 'admin',
  success: { status: 200, description: 'The keys.', schema: z.object({ api_keys: z.array(apiKeyOutput) }) },
  async handle({ principal }, deps) {
    return { api_keys: (await listApiKeysOf(deps, principal)).map(toWireApiKey) }
  },
})
