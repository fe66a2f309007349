import * as z from 'zod'
import { defineRoute } from '../route.ts'
import { apiKeyOutput, toWireApiKey } from '../wire/tenant-wire.ts'

export const listApiKeysRoute = defineRoute({
  method: 'GET',
  path: '/v2/api-keys',
  operationId: 'listApiKeys',
  tag: 'Tenancy',
  summary: 'List the API keys of the organization',
  description: 'Revoked ones too; never a secret.',
  access: 'admin',
  success: { status: 200, description: 'The keys.', schema: z.object({ api_keys: z.array(apiKeyOutput) }) },
  async handle({ principal }, { storage }) {
    return { api_keys: (await storage.listApiKeys(principal)).map(toWireApiKey) }
  },
})
