import { defined } from '../../lib/defined.ts'
import { PublicError } from '../../lib/public-error.ts'
import { INTERNAL_ERROR, retryAfterMsOf } from '../error-response.ts'
import { RPC_CODE_OF, RPC_CODES } from '../otlp/otlp-answers.ts'

/** How a call ends: a code of gRPC and, unless it is 0, what was wrong. */
export interface GrpcStatus {
  readonly code: number
  readonly message: string
  /** When the same call may pass, where that is known. */
  readonly retryAfterMs?: number
}

/** A fault of the protocol itself, which has no counterpart over HTTP. */
export class GrpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'GrpcError'
    this.code = code
  }
}

/** The status that an error becomes; undefined when it is a fault of ours, which belongs into the log. */
export function publicStatus(error: unknown): GrpcStatus | undefined {
  if (error instanceof GrpcError) return { code: error.code, message: error.message }
  if (!(error instanceof PublicError)) return undefined
  const { kind, message } = error
  const retryAfterMs = retryAfterMsOf(error)
  return { code: RPC_CODE_OF[kind], message, ...defined({ retryAfterMs }) }
}

/** The status of a call when the fault is ours. */
export const INTERNAL_STATUS: GrpcStatus = { code: RPC_CODES.internal, message: INTERNAL_ERROR }

/** A message as it may stand in a header: bytes that are not printable ASCII, and the percent sign, as `%` and hex. */
export function encodeMessage(message: string): string {
  let encoded = ''
  for (const byte of Buffer.from(message)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}
