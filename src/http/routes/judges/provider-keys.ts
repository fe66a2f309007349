import * as z from 'zod'
import { requireOrganizationAdmin } from '../../../control/administration.ts'
import {
  deleteProviderKey,
  getProviderKey,
  problemOfKey,
  putProviderKey,
} from '../../../control/provider-keys.ts'
import { PROVIDERS } from '../../../domain/judgement.ts'
import { defined } from '../../../lib/defined.ts'
import type { StoredProviderKey } from '../../../ports/judge-storage.ts'
import { defineRoute } from '../../route.ts'
import { boundedText } from '../../wire/text-schemas.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'

const BASE_URL_CHARS_MAX = 2_048
const TAG = 'Judges'

/** A key at a provider as it is sent. */
export const apiKeyInput = z.string().regex(/^[!-~]{8,4096}$/, 'must be 8 to 4096 visible ASCII characters')

/** The address of a provider as it is sent. */
export const baseUrlInput = boundedText(BASE_URL_CHARS_MAX)
  .transform((url) => url.replace(/\/+$/, ''))
  .describe(
    "One that the operator allows with `ASSAY_PROVIDER_BASE_URLS`, or a host of Azure's or Bedrock's own.",
  )

const params = z.object({ provider: z.enum(PROVIDERS) })

const keyOutput = z
  .object({
    provider: z.enum(PROVIDERS),
    base_url: z.string().optional(),
    hint: z.string().describe('The last characters of the key. The key itself is never shown.'),
    updated_at: timestamp,
    problem: z
      .string()
      .optional()
      .describe('Why the key cannot be opened and what to do about it; absent where it can be used.'),
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
  async handle({ principal }, { storage, vault }) {
    requireOrganizationAdmin(principal)
    const keys = await storage.listProviderKeys(principal)
    return { provider_keys: keys.map((key) => toWireKey(key, problemOfKey(vault.secrets, principal, key))) }
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
    const key = await getProviderKey(deps, principal, params.provider)
    return toWireKey(key, problemOfKey(deps.vault.secrets, principal, key))
  },
})

export const putProviderKeyRoute = defineRoute({
  method: 'PUT',
  path: '/v2/provider-keys/{provider}',
  operationId: 'putProviderKey',
  tag: TAG,
  summary: 'Store a key of the organization at a provider',
  description:
    'From then on the judges of the organization are called with it, and with no other. It is encrypted with the secrets key ' +
    'of the service (`ASSAY_SECRETS_KEY`, or a file beside an SQLite database) and never shown again. In other processes of ' +
    'the service a change takes effect within a few seconds.',
  access: 'admin',
  params,
  body: z
    .object({
      api_key: apiKeyInput,
      base_url: baseUrlInput.optional(),
    })
    .meta({ id: 'ProviderKeyInput' }),
  success: { status: 200, description: 'The key was stored.', schema: keyOutput },
  errors: { 503: 'There is no secrets key that can be used; the message says what to do.' },
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

function toWireKey({ provider, baseUrl, hint, updatedAtMs }: StoredProviderKey, problem?: string) {
  return {
    provider,
    ...defined({ base_url: baseUrl }),
    hint,
    updated_at: toTimestamp(updatedAtMs),
    ...defined({ problem }),
  }
}
