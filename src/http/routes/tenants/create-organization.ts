import * as z from 'zod'
import { requireOperator } from '../../../control/administration.ts'
import { createOrganization, requireDistinct } from '../../../control/organizations.ts'
import { DEFAULT_ENVIRONMENT, DEFAULT_RETENTION_HOURS, RETENTION_HOURS_MAX } from '../../../domain/tenant.ts'
import { defineRoute } from '../../route.ts'
import { requiredName } from '../../wire/text-schemas.ts'
import { environmentSlug, NAME_CHARS_MAX } from './tenant-wire.ts'

const ENVIRONMENTS_MAX = 20

export const createOrganizationRoute = defineRoute({
  method: 'POST',
  path: '/v2/organizations',
  operationId: 'createOrganization',
  tag: 'Tenancy',
  summary: 'Create an organization',
  description:
    'With a default project, its environments and a key with every scope for each of them. Allowed only to keys with ' +
    'the scope `admin` in the default project of the organization that was made at the first start.',
  access: 'admin',
  body: z
    .object({
      org_name: requiredName(NAME_CHARS_MAX),
      envs: z.array(environmentSlug).min(1).max(ENVIRONMENTS_MAX).default([DEFAULT_ENVIRONMENT]),
      retention_hours: z
        .int()
        .min(1)
        .max(RETENTION_HOURS_MAX)
        .default(DEFAULT_RETENTION_HOURS)
        .describe('How long spans are kept.'),
    })
    .meta({ id: 'OrganizationInput' }),
  success: {
    status: 201,
    description: 'The organization. The keys are shown this once.',
    schema: z
      .object({
        org_id: z.string(),
        environments: z.array(z.object({ slug: z.string(), api_key: z.string() })),
      })
      .meta({ id: 'OrganizationCreated' }),
  },
  async handle({ principal, body }, deps) {
    requireOperator(principal, 'creates organizations')
    requireDistinct(body.envs, 'envs')
    const { orgId, keys } = await createOrganization(deps, {
      name: body.org_name,
      environments: body.envs,
      retentionHours: body.retention_hours,
    })
    return { org_id: orgId, environments: keys.map(({ slug, secret }) => ({ slug, api_key: secret })) }
  },
})
