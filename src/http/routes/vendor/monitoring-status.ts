import * as z from 'zod'
import { judgeLag, LAG_REASONS, LAG_STATUSES } from '../../../domain/evaluation-lag.ts'
import type { Principal } from '../../../domain/tenant.ts'
import { defined } from '../../../lib/defined.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import type { Storage } from '../../../ports/storage.ts'
import { defineRoute } from '../../route.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'

const statusOutput = z
  .object({
    organization_id: z.string(),
    project: z.string().describe('Id of the project.'),
    environment: z.string().optional().describe('Where only one was asked for.'),
    evaluated_up_to: timestamp
      .optional()
      .describe('All matching spans that arrived before are evaluated; absent while there is no result.'),
    latest_span_received: timestamp.optional(),
    lag_in_seconds: z.number().describe('How long the oldest waiting span has waited; 0 when none waits.'),
    lag_in_spans: z.int().describe('Spans that some active monitor still has to evaluate.'),
    status: z
      .enum(LAG_STATUSES)
      .describe('`OK` up to 3 minutes, `DEGRADED` up to 10, else or without data `ERROR`.'),
    reasons: z.array(z.enum(LAG_REASONS)),
  })
  .meta({ id: 'MonitoringStatus' })

export const monitoringStatusRoute = defineRoute({
  method: 'GET',
  path: '/v2/monitoring/status',
  operationId: 'getMonitoringStatus',
  tag: 'Metrics',
  summary: 'Read how far evaluating is behind',
  access: 'read',
  query: z.object({
    environment: z
      .string()
      .optional()
      .describe('Only this environment, by its slug; absent: the whole project.'),
  }),
  success: { status: 200, description: 'The status.', schema: statusOutput },
  async handle({ principal, query }, { storage, clock }) {
    const { environment } = query
    const envProjectId =
      environment === undefined ? undefined : await findEnvironment(storage, principal, environment)
    const progress = await storage.readProgress(principal, envProjectId)
    const { lagMs, status, reasons, evaluatedUpToMs } = judgeLag(progress, clock.nowMs())
    return {
      organization_id: principal.orgId,
      project: principal.projectId,
      ...defined({ environment }),
      ...(evaluatedUpToMs === undefined ? {} : { evaluated_up_to: toTimestamp(evaluatedUpToMs) }),
      ...(progress.latestSpanMs === undefined
        ? {}
        : { latest_span_received: toTimestamp(progress.latestSpanMs) }),
      lag_in_seconds: lagMs / 1_000,
      lag_in_spans: progress.waitingSpans,
      status,
      reasons: [...reasons],
    }
  },
})

async function findEnvironment(storage: Storage, principal: Principal, slug: string): Promise<string> {
  const projects = await storage.listProjects(principal)
  const environments = projects.find(({ id }) => id === principal.projectId)?.environments ?? []
  const found = environments.find((environment) => environment.slug === slug)
  if (found) return found.envProjectId
  throw invalidInput(
    `environment must be one of ${environments.map((environment) => environment.slug).join(', ')}`,
  )
}
