import * as z from 'zod'
import { unauthorized } from '../../../domain/errors.ts'
import { KEY_PERMISSIONS } from '../../../domain/tenant.ts'
import { defineRoute } from '../../route.ts'

const whoamiOutput = z
  .object({
    org_id: z.string(),
    org_name: z.string(),
    is_operator: z.boolean().describe('Whether admin keys of this organization create others.'),
    project: z.object({ id: z.string(), name: z.string(), slug: z.string() }),
    environment: z.string().describe('The environment of the key.'),
    env_project_id: z.string(),
    key: z.object({ id: z.string(), name: z.string(), scopes: z.array(z.enum(KEY_PERMISSIONS)) }),
    retention_hours: z.int().describe('How long spans and evaluations are kept.'),
    judge: z
      .string()
      .nullable()
      .describe('Who judges for the organization: `provider/model`, `embedded`, or null for nobody.'),
    version: z.string().describe('Of the service.'),
    otlp: z.object({
      http_path: z.string(),
      grpc_port: z
        .int()
        .nullable()
        .describe('Where this process takes OTLP over gRPC; null when it does not.'),
    }),
  })
  .meta({ id: 'Whoami' })

export const whoamiRoute = defineRoute({
  method: 'GET',
  path: '/v2/whoami',
  operationId: 'whoami',
  tag: 'Tenancy',
  summary: 'Tell what the API key stands for',
  description: 'A key of any scope can ask.',
  access: KEY_PERMISSIONS,
  success: { status: 200, description: 'The organization, project and key.', schema: whoamiOutput },
  async handle({ principal }, { storage, about }): Promise<z.output<typeof whoamiOutput>> {
    const names = await storage.nameCaller(principal)
    // The key was found a moment ago: its project has gone since.
    if (!names) throw unauthorized()
    return {
      org_id: principal.orgId,
      org_name: names.organization,
      is_operator: principal.isOperator,
      project: { id: principal.projectId, name: names.project, slug: names.projectSlug },
      environment: principal.environment,
      env_project_id: principal.envProjectId,
      key: { id: principal.keyId, name: names.key, scopes: [...principal.permissions] },
      retention_hours: Math.min(names.retentionHours, about.retentionHoursMax),
      judge: (await about.judgeOf(principal)) ?? null,
      version: about.version,
      otlp: { http_path: '/v1/traces', grpc_port: about.grpcPort() ?? null },
    }
  },
})
