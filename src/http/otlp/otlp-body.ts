import type { OtlpEncoding } from '../../lib/otlp/scan-request.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { EncodeError } from '../error-response.ts'
import { CONTENT_TYPES, encodeRpcStatus, RPC_CODE_OF, RPC_CODES } from './otlp-answers.ts'

/** The body of an OTLP request after decompression. */
export interface OtlpBody {
  readonly bytes: Uint8Array
  readonly encoding: OtlpEncoding
}

/** The encoding that a content type stands for; any other is refused, because OTLP has no default. */
export function otlpEncoding(contentType: string | undefined): OtlpEncoding {
  const encoding = findEncoding(contentType)
  if (encoding) return encoding
  const known = Object.values(CONTENT_TYPES).join(' or ')
  throw new PublicError('unsupported_media_type', `Content-Type must be ${known}`)
}

/** Errors as a google.rpc.Status in the encoding of the request, in JSON when that is unknown. */
export function encodeOtlpError(contentType: string | undefined): EncodeError {
  const encoding = findEncoding(contentType) ?? 'json'
  return (message, kind) => ({
    contentType: CONTENT_TYPES[encoding],
    body: encodeRpcStatus(encoding, kind ? RPC_CODE_OF[kind] : RPC_CODES.internal, message),
  })
}

function findEncoding(contentType: string | undefined): OtlpEncoding | undefined {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === CONTENT_TYPES.protobuf) return 'protobuf'
  return type === CONTENT_TYPES.json ? 'json' : undefined
}
