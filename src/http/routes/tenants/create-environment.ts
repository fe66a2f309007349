import * as z from 'zod'
import { administeredProject } from '../../../control/administration.ts'
import { notFound } from '../../../domain/errors.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { defineRoute } from '../../route.ts'
import { environmentSlug } from './tenant-wire.ts'

export const createEnvironmentRoute = defineRoute({
  method: 'POST',
  path: '/v2/projects/{project_id}/environments',
  operationId: 'createEnvironment',
  tag: 'Tenancy',
  summary: 'Add an environment to a project',
  access: 'admin',
  params: z.object({ project_id: z.string() }),
  body: z.object({ slug: environmentSlug }).meta({ id: 'EnvironmentInput' }),
  success: {
    status: 201,
    description: 'The environment.',
    schema: z.object({ env_project_id: z.string(), slug: z.string() }).meta({ id: 'Environment' }),
  },
  errors: { 404: 'There is no such project, or the key does not administer it.' },
  async handle({ principal, params, body }, { storage, clock, ids }) {
    const environment = { envProjectId: ids.newId(), slug: body.slug }
    const tenant = administeredProject(principal, params.project_id)
    const result = await storage.createEnvironment(tenant, environment, clock.nowMs())
    if (result === 'no_project') throw notFound('project not found')
    if (result === 'exists') throw invalidInput(`slug ${body.slug} already exists`)
    return { env_project_id: environment.envProjectId, slug: environment.slug }
  },
})
