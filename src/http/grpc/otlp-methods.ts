import type { Principal } from '../../domain/tenant.ts'
import type { Ingest } from '../../pipeline/ingest/ingest.ts'
import { encodeTraceResponse } from '../otlp/otlp-answers.ts'

/** One unary method: the message of an authenticated caller in, the message of the answer out. */
export type GrpcMethod = (principal: Principal, message: Buffer) => Promise<Buffer>

const PACKAGE = '/opentelemetry.proto.collector'

/** The methods of OTLP by their path. Metrics and logs are taken and dropped, as they are over HTTP. */
export function otlpMethods(ingest: Ingest): ReadonlyMap<string, GrpcMethod> {
  const exportTraces: GrpcMethod = async (principal, message) => {
    const { rejectedSpans, errorMessage } = await ingest.receive(principal, message, 'protobuf')
    return encodeTraceResponse(
      'protobuf',
      errorMessage === undefined ? undefined : { rejectedSpans, errorMessage },
    )
  }
  const drop: GrpcMethod = async () => encodeTraceResponse('protobuf')
  return new Map([
    [`${PACKAGE}.trace.v1.TraceService/Export`, exportTraces],
    [`${PACKAGE}.metrics.v1.MetricsService/Export`, drop],
    [`${PACKAGE}.logs.v1.LogsService/Export`, drop],
  ])
}
