import * as z from 'zod'
import { createApiKeyFor } from '../../../control/api-keys.ts'
import { DEFAULT_KEY_PERMISSIONS, KEY_PERMISSIONS } from '../../../domain/tenant.ts'
import { defineRoute } from '../../route.ts'
import { boundedText, requiredName } from '../../wire/text-schemas.ts'
import { apiKeyCreatedOutput, environmentSlug, NAME_CHARS_MAX, toWireApiKey } from './tenant-wire.ts'

export const createApiKeyRoute = defineRoute({
  method: 'POST',
  path: '/v2/api-keys',
  operationId: 'createApiKey',
  tag: 'Tenancy',
  summary: 'Create an API key',
  description:
    'For one project in one environment of the organization. Give an application only the scope `ingest`. A key with the ' +
    'scope `admin` administers the organization if it belongs to the default project, and otherwise its own project alone.',
  access: 'admin',
  body: z
    .object({
      name: boundedText(NAME_CHARS_MAX).default('').describe('For people, to tell keys apart.'),
      project_id: requiredName(NAME_CHARS_MAX).optional().describe("Absent: the caller's own project."),
      environment: environmentSlug.optional().describe("Absent: the caller's own environment."),
      scopes: z
        .array(z.enum(KEY_PERMISSIONS))
        .min(1)
        .default([...DEFAULT_KEY_PERMISSIONS]),
    })
    .meta({ id: 'ApiKeyInput' }),
  success: { status: 201, description: 'The key, with its secret.', schema: apiKeyCreatedOutput },
  errors: {
    403: 'The key lacks the scope, or the organization has as many as it may; the message says which.',
  },
  async handle({ principal, body }, deps) {
    const { key, secret } = await createApiKeyFor(deps, principal, {
      name: body.name,
      projectId: body.project_id ?? principal.projectId,
      environment: body.environment ?? principal.environment,
      permissions: KEY_PERMISSIONS.filter((permission) => body.scopes.includes(permission)),
    })
    return { ...toWireApiKey(key), api_key: secret }
  },
})
