import * as z from 'zod'
import { CONTENT_TYPES, encodeResponse, rejectedSpans } from '../../otlp/otlp-answers.ts'
import { defineRoute, EncodedAnswer } from '../../route.ts'

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
  success: {
    status: 200,
    description: 'Stored, apart from what `partialSuccess` names.',
    schema: z.object({
      partialSuccess: z
        .object({
          rejectedSpans: z.string().describe('How many spans were not stored.'),
          errorMessage: z.string().describe('The first of them and why.'),
        })
        .optional(),
    }),
  },
  errors: {
    403: 'The key lacks the scope, or the organization has stored as much as it may; the message says which.',
    413: 'The body is too large, or has too many spans.',
    415: 'The body is neither protobuf nor JSON.',
    429: 'The key has sent more than it may, or too much is waiting to be stored; `Retry-After` says when to try again.',
    503: 'Spans cannot be stored at the moment; `Retry-After` says when to try again.',
    504: 'Reading the request took too long.',
  },
  async handle({ principal, body: { bytes, encoding } }, { ingest, requestLimits }) {
    const answer = await ingest.receive(principal, bytes, encoding)
    requestLimits?.useSpans(principal, answer.acceptedSpans + answer.rejectedSpans)
    return new EncodedAnswer(CONTENT_TYPES[encoding], encodeResponse(encoding, rejectedSpans(answer)))
  },
})
