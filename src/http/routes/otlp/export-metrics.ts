import * as z from 'zod'
import { CONTENT_TYPES, encodeResponse } from '../../otlp/otlp-answers.ts'
import { defineRoute, EncodedAnswer } from '../../route.ts'

/** SDKs send metrics to the address of their spans and log an error for each refusal, so these are accepted and dropped. */
export const exportMetricsRoute = defineRoute({
  method: 'POST',
  path: '/v1/metrics',
  operationId: 'exportMetrics',
  tag: 'OpenTelemetry',
  summary: 'Send metrics, which are not kept',
  description:
    'OTLP/HTTP, in protobuf or JSON. This service works with spans; metrics are accepted and dropped.',
  access: 'ingest',
  body: z.looseObject({ resourceMetrics: z.array(z.looseObject({})).optional() }),
  bodyAs: 'otlp',
  success: { status: 200, description: 'Accepted and dropped.', schema: z.object({}) },
  errors: {
    415: 'The body is neither protobuf nor JSON.',
    503: 'The key cannot be checked at the moment; `Retry-After` says when to try again.',
  },
  // An empty message is the same for all three signals.
  handle: async ({ body: { encoding } }) =>
    new EncodedAnswer(CONTENT_TYPES[encoding], encodeResponse(encoding)),
})
