import * as z from 'zod'
import { CONTENT_TYPES, encodeTraceResponse } from '../../otlp/otlp-answers.ts'
import { type AnyRoute, defineRoute, EncodedAnswer } from '../../route.ts'

// SDKs send metrics and logs to where they send spans, and would complain all the time without an answer.
const DROPPED = [
  { path: '/v1/metrics', operationId: 'exportMetrics', name: 'metrics', field: 'resourceMetrics' },
  { path: '/v1/logs', operationId: 'exportLogs', name: 'logs', field: 'resourceLogs' },
] as const

/** Telemetry that is taken politely and not kept. */
export const dropTelemetryRoutes: readonly AnyRoute[] = DROPPED.map(({ path, operationId, name, field }) =>
  defineRoute({
    method: 'POST',
    path,
    operationId,
    tag: 'OpenTelemetry',
    summary: `Send ${name}, which are not kept`,
    description: `OTLP/HTTP, in protobuf or JSON. This service works with spans; ${name} are accepted and dropped.`,
    access: 'ingest',
    body: z.looseObject({ [field]: z.array(z.looseObject({})).optional() }),
    bodyAs: 'otlp',
    success: { status: 200, description: 'Accepted and dropped.', schema: z.object({}) },
    errors: {
      415: 'The body is neither protobuf nor JSON.',
      503: 'The key cannot be checked at the moment; `Retry-After` says when to try again.',
    },
    // An empty message is the same for all three signals.
    handle: async ({ body: { encoding } }) =>
      new EncodedAnswer(CONTENT_TYPES[encoding], encodeTraceResponse(encoding)),
  }),
)
