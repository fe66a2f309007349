import type { PartialSuccess } from '../../lib/otlp/partial-success.ts'
import type { OtlpEncoding } from '../../lib/otlp/scan-request.ts'
import { WireWriter } from '../../lib/otlp/wire-writer.ts'
import type { PublicErrorKind } from '../../lib/public-error.ts'

/** The content type of each encoding; an answer uses the encoding of its request. */
export const CONTENT_TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const

/** The codes of google.rpc.Status that this service answers with; gRPC uses the same. */
export const RPC_CODES = {
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

/** The part of a request that was not accepted, under the name that its signal has for it. */
export interface Rejected {
  readonly name: 'rejectedSpans' | 'rejectedLogRecords'
  readonly count: number
  readonly errorMessage: string
}

/** An export response of any signal. Without `rejected` it is empty, which means that everything was accepted. */
export function encodeResponse(encoding: OtlpEncoding, rejected?: Rejected): Buffer {
  if (encoding === 'json') {
    if (!rejected) return Buffer.from('{}')
    const { name, count, errorMessage } = rejected
    // A 64-bit integer is text in protobuf's JSON encoding.
    return Buffer.from(JSON.stringify({ partialSuccess: { [name]: String(count), errorMessage } }))
  }
  const writer = new WireWriter()
  if (rejected)
    writer.message(1, () => {
      writer.varint(1, rejected.count)
      writer.string(2, rejected.errorMessage)
    })
  return writer.finish()
}

/** The spans of a request that were not kept, for its sender. */
export function rejectedSpans({
  rejectedSpans: count,
  errorMessage,
}: Pick<PartialSuccess, 'rejectedSpans'> & { readonly errorMessage?: string }): Rejected | undefined {
  return errorMessage === undefined ? undefined : { name: 'rejectedSpans', count, errorMessage }
}

/** The log records of a request that were not kept, for its sender. */
export function rejectedLogs({
  rejectedRecords: count,
  errorMessage,
}: {
  readonly rejectedRecords: number
  readonly errorMessage?: string
}): Rejected | undefined {
  return errorMessage === undefined ? undefined : { name: 'rejectedLogRecords', count, errorMessage }
}

/** The code of an error that is no fault of ours. */
export const RPC_CODE_OF: Record<PublicErrorKind, number> = {
  invalid_input: RPC_CODES.invalidArgument,
  unauthorized: RPC_CODES.unauthenticated,
  forbidden: RPC_CODES.permissionDenied,
  not_found: RPC_CODES.unimplemented,
  conflict: RPC_CODES.invalidArgument,
  method_not_allowed: RPC_CODES.unimplemented,
  too_large: RPC_CODES.resourceExhausted,
  unsupported_media_type: RPC_CODES.invalidArgument,
  // Senders take resource_exhausted for final unless it tells when to try again; unavailable they always try again.
  overloaded: RPC_CODES.unavailable,
  // With the time to wait, which makes it retryable; without one it is final, as a quota has to be.
  rate_limited: RPC_CODES.resourceExhausted,
  limit_reached: RPC_CODES.resourceExhausted,
  unavailable: RPC_CODES.unavailable,
  no_verdict: RPC_CODES.unavailable,
  over_budget: RPC_CODES.unavailable,
  deadline: RPC_CODES.deadlineExceeded,
}

/** A google.rpc.Status, which OTLP over HTTP wants as the body of every 4xx and 5xx. In JSON it is this service's error object as well. */
export function encodeRpcStatus(encoding: OtlpEncoding, code: number, message: string): Buffer {
  if (encoding === 'json') return Buffer.from(JSON.stringify({ code, message, error: message }))
  const writer = new WireWriter()
  writer.varint(1, code)
  writer.string(2, message)
  return writer.finish()
}
