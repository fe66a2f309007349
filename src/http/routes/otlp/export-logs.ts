import * as z from 'zod'
import { CONTENT_TYPES, encodeResponse, rejectedLogs } from '../../otlp/otlp-answers.ts'
import { defineRoute, EncodedAnswer } from '../../route.ts'

export const exportLogsRoute = defineRoute({
  method: 'POST',
  path: '/v1/logs',
  operationId: 'exportLogs',
  tag: 'OpenTelemetry',
  summary: 'Send log events with the content of spans',
  description:
    'OTLP/HTTP, in protobuf or JSON; `gzip`, `deflate` and `zstd` are understood. Some instrumentations send prompts and ' +
    'answers as log events. Events whose name begins with `gen_ai.` are kept and become events of the span that they name, ' +
    'whichever of the two comes first; all other log records are accepted and dropped. The answer comes when the events are ' +
    'stored. After 429, 503 and 504 the same request should be sent again; an event that was stored already is recognised.',
  access: 'ingest',
  body: z
    .looseObject({ resourceLogs: z.array(z.looseObject({})).optional() })
    .describe('An ExportLogsServiceRequest.'),
  bodyAs: 'otlp',
  bringsSpans: true,
  success: {
    status: 200,
    description: 'Stored, apart from what `partialSuccess` names.',
    schema: z.object({
      partialSuccess: z
        .object({
          rejectedLogRecords: z.string().describe('How many log events were not stored.'),
          errorMessage: z.string().describe('The first of them and why.'),
        })
        .optional(),
    }),
  },
  errors: {
    403: 'The key lacks the scope, or the organization has stored as much as it may; the message says which.',
    413: 'The body is too large, or has too many log records.',
    415: 'The body is neither protobuf nor JSON.',
    429: 'The key has sent more than it may, or too much is waiting to be stored; `Retry-After` says when to try again.',
    503: 'Log events cannot be stored at the moment; `Retry-After` says when to try again.',
    504: 'Reading the request took too long.',
  },
  async handle({ principal, body: { bytes, encoding } }, { ingest, requestLimits }) {
    const answer = await ingest.receiveLogs(principal, bytes, encoding)
    requestLimits?.useSpans(principal, answer.acceptedRecords + answer.rejectedRecords)
    return new EncodedAnswer(CONTENT_TYPES[encoding], encodeResponse(encoding, rejectedLogs(answer)))
  },
})
