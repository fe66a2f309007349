import * as z from 'zod'
import { defineRoute } from '../../route.ts'
import { projectOutput, toWireProject } from './tenant-wire.ts'

export const listProjectsRoute = defineRoute({
  method: 'GET',
  path: '/v2/projects',
  operationId: 'listProjects',
  tag: 'Tenancy',
  summary: 'List the projects of the organization',
  access: 'read',
  success: {
    status: 200,
    description: 'The projects.',
    schema: z.object({ projects: z.array(projectOutput) }),
  },
  async handle({ principal }, { storage }) {
    return { projects: (await storage.listProjects(principal)).map(toWireProject) }
  },
})
