import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { PublicError, type PublicErrorKind } from '../lib/public-error.ts'
import type { Logger } from '../ports/logger.ts'

const STATUS_OF: Record<PublicErrorKind, number> = {
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  method_not_allowed: 405,
  too_large: 413,
  unsupported_media_type: 415,
  overloaded: 429,
  rate_limited: 429,
  limit_reached: 403,
  unavailable: 503,
  deadline: 504,
  no_verdict: 502,
  over_budget: 429,
}

/** The message to a client when the fault is ours. The cause is in the log under the answer's x-request-id. */
export const INTERNAL_ERROR = 'internal server error'

/** When a client that was turned away may try again. */
const RETRY_AFTER_MS = 1_000
const RETRIED: readonly PublicErrorKind[] = ['overloaded', 'unavailable']

/** How an error is written for clients that want another form than this service's error object. */
export type EncodeError = (
  message: string,
  kind: PublicErrorKind | undefined,
) => { readonly contentType: string; readonly body: Buffer }

// By the codes of Node's HTTP parser; everything else is a plain 400.
const CLIENT_ERRORS: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
}

/** When the request that failed may pass; undefined when there is no telling. */
export function retryAfterMsOf({ kind, retryAfterMs }: PublicError): number | undefined {
  return retryAfterMs ?? (RETRIED.includes(kind) ? RETRY_AFTER_MS : undefined)
}

/** The only place where an error becomes an answer. */
export function sendError(error: unknown, reply: FastifyReply, logger: Logger, encode?: EncodeError): void {
  const known = error instanceof PublicError ? error : frameworkError(error)
  if (!known) logger.error({ err: error, requestId: reply.request.id }, 'request failed')
  // The client reads that something is not available, the operator also why.
  else if (known.kind === 'unavailable' && known.cause !== undefined)
    logger.warn({ err: known.cause, requestId: reply.request.id }, known.message)
  const message = known?.message ?? INTERNAL_ERROR
  if (known?.kind === 'unauthorized') reply.header('www-authenticate', 'Bearer')
  const retryAfterMs = known && retryAfterMsOf(known)
  if (retryAfterMs !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
  reply.code(known ? STATUS_OF[known.kind] : 500)
  if (!encode) return void reply.send({ error: message })
  const { contentType, body } = encode(message, known?.kind)
  reply.type(contentType).send(body)
}

/** How long a connection stays open after its last answer, so that a client that still sends can read that answer. */
const LINGER_MS = 1_000

/** Answers what is not even an HTTP request, on the bare connection, and ends it, whether the client ends its side or not. */
export function sendClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const [status, reason] = CLIENT_ERRORS[error.code ?? ''] ?? [400, 'the request is malformed']
  if (!socket.writable) return void socket.destroy()
  const body = JSON.stringify({ error: `invalid input: ${reason}` })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

// Faults that Fastify finds before any of our code runs. They carry a 4xx status; anything else is our own fault.
function frameworkError(error: unknown): PublicError | undefined {
  const { code, statusCode } = Object(error) as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new PublicError('too_large', 'request body is too large')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return new PublicError(
      'invalid_input',
      'invalid input: body does not have the length that Content-Length says',
    )
  }
  if (code === 'FST_ERR_BAD_URL')
    return new PublicError('invalid_input', 'invalid input: path is not a valid URL')
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new PublicError('invalid_input', 'invalid input: the request is malformed')
  }
  return undefined
}
