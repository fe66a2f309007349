import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { readEnvironments } from '../../project-environments.ts'
import { defineRoute } from '../../route.ts'

/*
 * The lists that the vendor's SDKs fetch at their start with synchronisation switched on, and every few seconds from then on.
 * Their start fails without an answer. Assay keeps neither prompts nor allow-lists, so both are empty.
 */

/** An SDK has the key that sends its spans. */
const SDKS = ['ingest', 'read'] as const

export const listPromptsRoute = defineRoute({
  method: 'GET',
  path: '/v1/traceloop/prompts',
  operationId: 'listPrompts',
  tag: 'OpenTelemetry',
  summary: 'List managed prompts (always empty)',
  description: 'For SDKs of the vendor that synchronise prompts when they start.',
  access: SDKS,
  success: {
    status: 200,
    description: 'An empty list.',
    schema: z
      .object({
        prompts: z.array(z.looseObject({})).max(0),
        environment: z.string().optional().describe('Slug of the environment of the key.'),
      })
      .meta({ id: 'Prompts' }),
  },
  async handle({ principal }, { storage }) {
    const environments = await readEnvironments(storage, principal)
    return { prompts: [], ...defined({ environment: environments.slugOf(principal.envProjectId) }) }
  },
})

export const listTracingAllowListRoute = defineRoute({
  method: 'GET',
  path: '/v1/traceloop/pii/tracing-allow-list',
  operationId: 'listTracingAllowList',
  tag: 'OpenTelemetry',
  summary: 'List the tracing allow-list (always empty)',
  description: 'For SDKs of the vendor that are told to trace no content but that of listed users.',
  access: SDKS,
  success: {
    status: 200,
    description: 'An empty list.',
    schema: z
      .object({ associationPropertyAllowList: z.array(z.looseObject({})).max(0) })
      .meta({ id: 'TracingAllowList' }),
  },
  handle: async () => ({ associationPropertyAllowList: [] }),
})
