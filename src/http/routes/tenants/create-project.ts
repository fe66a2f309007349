import * as z from 'zod'
import { requireOrganizationAdmin } from '../../../control/administration.ts'
import { refuseFull } from '../../../control/limits.ts'
import { draftProject, requireDistinct } from '../../../control/organizations.ts'
import { slugFromName } from '../../../domain/slug.ts'
import { DEFAULT_ENVIRONMENT } from '../../../domain/tenant.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { defineRoute } from '../../route.ts'
import { requiredName } from '../../wire/text-schemas.ts'
import { environmentSlug, NAME_CHARS_MAX, projectOutput, slugText, toWireProject } from './tenant-wire.ts'

const ENVIRONMENTS_MAX = 20

export const createProjectRoute = defineRoute({
  method: 'POST',
  path: '/v2/projects',
  operationId: 'createProject',
  tag: 'Tenancy',
  summary: 'Create a project',
  description:
    'In the organization of the key. Create API keys for its environments with `POST /v2/api-keys`. ' +
    'Needs an admin key of the default project.',
  access: 'admin',
  body: z
    .object({
      name: requiredName(NAME_CHARS_MAX),
      slug: slugText.optional().describe('Absent: made from the name.'),
      environments: z.array(environmentSlug).min(1).max(ENVIRONMENTS_MAX).default([DEFAULT_ENVIRONMENT]),
    })
    .meta({ id: 'ProjectInput' }),
  success: { status: 201, description: 'The project.', schema: projectOutput },
  errors: {
    403: 'The key lacks the scope, or the organization has as many as it may; the message says which.',
  },
  async handle({ principal, body }, deps) {
    requireOrganizationAdmin(principal)
    requireDistinct(body.environments, 'environments')
    const slug = body.slug ?? slugFromName(body.name)
    if (slug === '')
      throw invalidInput('slug is required when the name has no letter from a to z and no digit')
    const project = draftProject(deps, { name: body.name, slug, environments: body.environments })
    const created = await deps.storage.createProject(principal, project, deps.limits?.projects)
    if (created === 'full') return refuseFull(deps, principal, 'projects')
    if (created === 'exists') throw invalidInput(`slug ${slug} already exists`)
    return toWireProject(project)
  },
})
