import * as z from 'zod'
import { requireOrganizationAdmin } from '../../../control/administration.ts'
import { deleteProviderKey, getProviderKey, putProviderKey } from '../../../control/provider-keys.ts'
import { PROVIDERS } from '../../../domain/judgement.ts'
import { defined } from '../../../lib/defined.ts'
import type { StoredProviderKey } from '../../../ports/judge-storage.ts'
import { defineRoute } from '../../route.ts'
import { boundedText } from '../../wire/text-schemas.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'

const BASE_URL_CHARS_MAX = 2_048
const TAG = 'Judges'

const params = z.object({ provider: z.enum(PROVIDERS) })

const keyOutput = z
  .object({
    provider: z.enum(PROVIDERS),
    base_url: z.string().optional(),
    hint: z.string().describe('The last characters of the key. The key itself is never shown.'),
    updated_at: timestamp,
  })
  .meta({ id: 'ProviderKey' })

const NOT_FOUND = { 404: 'The organization has no key at this provider.' }

export const listProviderKeysRoute = defineRoute({
  method: 'GET',
  path: '/v2/provider-keys',
  operationId: 'listProviderKeys',
  tag: TAG,
  summary: 'List the keys at providers',
  access: 'admin',
  success: {
    status: 200,
    description: 'What is known of the keys of the organization, without the keys.',
    schema: z.object({ provider_keys: z.array(keyOutput) }),
  },
  async handle({ principal }, { storage }) {
    requireOrganizationAdmin(principal)
    return { provider_keys: (await storage.listProviderKeys(principal)).map(toWireKey) }
  },
})

export const getProviderKeyRoute = defineRoute({
  method: 'GET',
  path: '/v2/provider-keys/{provider}',
  operationId: 'getProviderKey',
  tag: TAG,
  summary: 'Read what is known of a key',
  access: 'admin',
  params,
  success: { status: 200, description: 'The key, without the key itself.', schema: keyOutput },
  errors: NOT_FOUND,
  async handle({ principal, params }, deps) {
    requireOrganizationAdmin(principal)
    return toWireKey(await getProviderKey(deps, principal, params.provider))
  },
})

export const putProviderKeyRoute = defineRoute({
  method: 'PUT',
  path: '/v2/provider-keys/{provider}',
  operationId: 'putProviderKey',
  tag: TAG,
  summary: 'Store a key of the organization at a provider',
  description:
    'From then on the judges of the organization are called with it, and with no other. It is encrypted with the key in ' +
    '`ASSAY_SECRETS_KEY` and never shown again. A change takes effect within a few seconds.',
  access: 'admin',
  params,
  body: z
    .object({
      api_key: z.string().regex(/^[!-~]{8,4096}$/, 'must be 8 to 4096 visible ASCII characters'),
      base_url: boundedText(BASE_URL_CHARS_MAX)
        .transform((url) => url.replace(/\/+$/, ''))
        .optional()
        .describe('Only one that the operator allows with `ASSAY_PROVIDER_BASE_URLS`.'),
    })
    .meta({ id: 'ProviderKeyInput' }),
  success: { status: 200, description: 'The key was stored.', schema: keyOutput },
  errors: { 503: 'The operator has not set `ASSAY_SECRETS_KEY`.' },
  async handle({ principal, params, body }, deps) {
    requireOrganizationAdmin(principal)
    const key = await putProviderKey(deps, deps.vault, principal, {
      provider: params.provider,
      apiKey: body.api_key,
      ...defined({ baseUrl: body.base_url }),
    })
    return toWireKey(key)
  },
})

export const deleteProviderKeyRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/provider-keys/{provider}',
  operationId: 'deleteProviderKey',
  tag: TAG,
  summary: 'Forget a key',
  access: 'admin',
  params,
  success: { status: 204, description: 'The key is gone.' },
  errors: NOT_FOUND,
  async handle({ principal, params }, deps) {
    requireOrganizationAdmin(principal)
    await deleteProviderKey(deps, principal, params.provider)
  },
})

function toWireKey({ provider, baseUrl, hint, updatedAtMs }: StoredProviderKey) {
  return {
    provider,
    ...defined({ base_url: baseUrl }),
    hint,
    updated_at: toTimestamp(updatedAtMs),
  }
}
