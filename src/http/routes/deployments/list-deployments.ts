import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import type { Deployment, DeploymentKey } from '../../../ports/application-storage.ts'
import { defineRoute } from '../../route.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { checkOrder, timeParam } from '../../wire/query-params.ts'
import { spanName } from '../../wire/text-schemas.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'

const LIMIT_MAX = 500
const LIMIT_DEFAULT = 100
/** The default range ends now and begins this much earlier. */
const RANGE_MS = 30 * 86_400_000
const CURSOR = 'deployments'

const deploymentCursor = z
  .string()
  .transform((text, context): DeploymentKey => {
    const key = keyIn(Buffer.from(text, 'base64url').toString())
    if (key) return key
    context.addIssue({ code: 'custom', message: 'must be the next_cursor of the page before' })
    return z.NEVER
  })
  .describe('The `next_cursor` of the page before.')

const cursorParts = z.tuple([z.literal(CURSOR), z.int().min(0), z.string(), z.string(), z.string()])

function keyIn(text: string): DeploymentKey | undefined {
  try {
    const [, firstSeenMs, environment, application, version] = cursorParts.parse(JSON.parse(text))
    return { firstSeenMs, environment, application, version }
  } catch {
    return undefined
  }
}

function toCursor({ firstSeenMs, environment, application, version }: DeploymentKey): string {
  return Buffer.from(JSON.stringify([CURSOR, firstSeenMs, environment, application, version])).toString(
    'base64url',
  )
}

const deploymentOutput = z
  .object({
    application: z.string(),
    environment: z.string(),
    version: z.string().describe('The `service.version` of its spans.'),
    previous_version: z
      .string()
      .optional()
      .describe('The version before this one. Absent for the first that is known, which is no deploy.'),
    first_seen_at: timestamp.describe('When its first span began.'),
    last_seen_at: timestamp.describe('When its last span began, to the minute.'),
  })
  .meta({ id: 'Deployment' })

export const listDeploymentsRoute = defineRoute({
  method: 'GET',
  path: '/v2/deployments',
  operationId: 'listDeployments',
  tag: 'Traces',
  summary: 'List deployments',
  description:
    'The versions of applications (`service.version` beside `service.name` on the resource of spans) that were first seen in a ' +
    'range of time, newest first. One with a `previous_version` is a deploy.',
  access: 'read',
  query: z
    .object({
      from: timeParam().optional().describe('First seen at or after; absent: 30 days before `to`.'),
      to: timeParam().optional().describe('First seen before; absent: now.'),
      application: spanName().optional().describe('Only versions of this application.'),
      limit: pageLimit(LIMIT_MAX)
        .optional()
        .describe(`Largest number of deployments; ${LIMIT_DEFAULT} when absent.`),
      cursor: deploymentCursor.optional(),
    })
    .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to)),
  success: {
    status: 200,
    description: 'A page of deployments.',
    schema: z.object({
      deployments: z.array(deploymentOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage, clock }) {
    const { limit = LIMIT_DEFAULT, application, cursor: after } = query
    const toMs = query.to ?? clock.nowMs()
    const range = { fromMs: query.from ?? toMs - RANGE_MS, toMs }
    const found = await storage.listDeployments(principal, {
      ...range,
      limit: limit + 1,
      ...defined({ application, after }),
    })
    const page = found.slice(0, limit)
    const last = page.at(-1)
    return {
      deployments: page.map(toWireDeployment),
      ...(last && found.length > limit ? { next_cursor: toCursor(last) } : {}),
    }
  },
})

function toWireDeployment(deployment: Deployment): z.output<typeof deploymentOutput> {
  const { application, environment, version, previousVersion, firstSeenMs, lastSeenMs } = deployment
  return {
    application,
    environment,
    version,
    ...defined({ previous_version: previousVersion }),
    first_seen_at: toTimestamp(firstSeenMs),
    last_seen_at: toTimestamp(lastSeenMs),
  }
}
