import * as z from 'zod'
import { CONTENT_TYPES, encodeResponse, rejectedLogs } from '../../otlp/otlp-answers.ts'
import { defineRoute, EncodedAnswer } from '../../route.ts'
import { exportErrors, storedAnswer } from './otlp-export.ts'

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
  success: storedAnswer('rejectedLogRecords', 'log events'),
  errors: exportErrors('log records', 'Log events'),
  async handle({ principal, body: { bytes, encoding } }, { ingest, requestLimits }) {
    const answer = await ingest.receiveLogs(principal, bytes, encoding)
    requestLimits?.useSpans(principal, answer.acceptedRecords + answer.rejectedRecords)
    return new EncodedAnswer(CONTENT_TYPES[encoding], encodeResponse(encoding, rejectedLogs(answer)))
  },
})
