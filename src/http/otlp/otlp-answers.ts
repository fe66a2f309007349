import type { TraceBatch } from '../../domain/otlp/scan-traces.ts'
import { WireWriter } from '../../domain/otlp/wire-writer.ts'

/** The encodings of OTLP over HTTP; an answer uses the one of its request. */
export type OtlpEncoding = 'protobuf' | 'json'

/** What was not kept of a request that was otherwise accepted. */
export interface PartialSuccess {
  readonly rejectedSpans: number
  readonly errorMessage: string
}

/** The codes of google.rpc.Status that this service answers with; gRPC uses the same. */
export const RPC_CODES = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

/** What to tell the sender about the spans of a batch that were rejected; undefined when there are none. */
export function partialSuccessOf(batch: TraceBatch): PartialSuccess | undefined {
  const { rejectedCount, rejected, spans } = batch
  if (rejectedCount === 0) return undefined
  const reasons = rejected.map(({ index, reason }) => `span ${index}: ${reason}`)
  const more = rejectedCount > rejected.length ? `; and ${rejectedCount - rejected.length} more` : ''
  const total = spans.length + rejectedCount
  return {
    rejectedSpans: rejectedCount,
    errorMessage: `${rejectedCount} of ${total} spans rejected: ${reasons.join('; ')}${more}`,
  }
}

/** An ExportTraceServiceResponse. Without `partialSuccess` it is empty, which means that everything was accepted. */
export function encodeTraceResponse(encoding: OtlpEncoding, partialSuccess?: PartialSuccess): Buffer {
  if (encoding === 'json') {
    const { rejectedSpans, errorMessage } = partialSuccess ?? {}
    // A 64-bit integer is text in protobuf's JSON encoding.
    const answer = partialSuccess
      ? { partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } }
      : {}
    return Buffer.from(JSON.stringify(answer))
  }
  const writer = new WireWriter()
  if (partialSuccess)
    writer.message(1, () => {
      writer.varint(1, partialSuccess.rejectedSpans)
      writer.string(2, partialSuccess.errorMessage)
    })
  return writer.finish()
}

/** A google.rpc.Status, which OTLP over HTTP wants as the body of every 4xx and 5xx. */
export function encodeRpcStatus(encoding: OtlpEncoding, code: number, message: string): Buffer {
  if (encoding === 'json') return Buffer.from(JSON.stringify({ code, message }))
  const writer = new WireWriter()
  writer.varint(1, code)
  writer.string(2, message)
  return writer.finish()
}
