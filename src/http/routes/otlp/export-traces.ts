import * as z from 'zod'
import { CONTENT_TYPES, encodeResponse, rejectedSpans } from '../../otlp/otlp-answers.ts'
import { defineRoute, EncodedAnswer } from '../../route.ts'
import { exportErrors, storedAnswer } from './otlp-export.ts'

export const exportTracesRoute = defineRoute({
  method: 'POST',
  path: '/v1/traces',
  operationId: 'exportTraces',
  tag: 'OpenTelemetry',
  summary: 'Send spans',
  description:
    'OTLP/HTTP, in protobuf or JSON; `gzip`, `deflate` and `zstd` are understood. The answer comes when the spans are ' +
    'stored. A span that cannot be kept is rejected by itself and told in `partialSuccess`. After 429, 503 and 504 the ' +
    'same request should be sent again; a span that was stored already is recognised.',
  access: 'ingest',
  body: z
    .looseObject({ resourceSpans: z.array(z.looseObject({})).optional() })
    .describe('An ExportTraceServiceRequest.'),
  bodyAs: 'otlp',
  bringsSpans: true,
  success: storedAnswer('rejectedSpans', 'spans'),
  errors: exportErrors('spans', 'Spans'),
  async handle({ principal, body: { bytes, encoding } }, { ingest, requestLimits }) {
    const answer = await ingest.receive(principal, bytes, encoding)
    requestLimits?.useSpans(principal, answer.acceptedSpans + answer.rejectedSpans)
    return new EncodedAnswer(CONTENT_TYPES[encoding], encodeResponse(encoding, rejectedSpans(answer)))
  },
})
