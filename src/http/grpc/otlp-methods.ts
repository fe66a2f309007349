import type { Principal } from '../../domain/tenant.ts'
import type { Ingest } from '../../pipeline/ingest/ingest.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import { encodeResponse, rejectedLogs, rejectedSpans } from '../otlp/otlp-answers.ts'

/** The message of an authenticated caller in, the message of the answer out. */
export type GrpcCall = (principal: Principal, message: Buffer) => Promise<Buffer>

/** One unary method. */
export interface GrpcMethod {
  readonly call: GrpcCall
  /** Its message brings spans, which have limits of their own. */
  readonly bringsSpans?: true
}

const PACKAGE = '/opentelemetry.proto.collector'

/** The methods of OTLP by their path. Metrics are taken and dropped, as they are over HTTP. */
export function otlpMethods(ingest: Ingest, limits?: RequestLimits): ReadonlyMap<string, GrpcMethod> {
  const exportTraces: GrpcCall = async (principal, message) => {
    const answer = await ingest.receive(principal, message, 'protobuf')
    limits?.useSpans(principal, answer.acceptedSpans + answer.rejectedSpans)
    return encodeResponse('protobuf', rejectedSpans(answer))
  }
  const exportLogs: GrpcCall = async (principal, message) => {
    const answer = await ingest.receiveLogs(principal, message, 'protobuf')
    limits?.useSpans(principal, answer.acceptedRecords + answer.rejectedRecords)
    return encodeResponse('protobuf', rejectedLogs(answer))
  }
  const drop: GrpcMethod = { call: async () => encodeResponse('protobuf') }
  return new Map<string, GrpcMethod>([
    [`${PACKAGE}.trace.v1.TraceService/Export`, { call: exportTraces, bringsSpans: true }],
    [`${PACKAGE}.metrics.v1.MetricsService/Export`, drop],
    [`${PACKAGE}.logs.v1.LogsService/Export`, { call: exportLogs, bringsSpans: true }],
  ])
}
