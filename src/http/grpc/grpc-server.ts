import { once } from 'node:events'
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Principal } from '../../domain/tenant.ts'
import type { Logger } from '../../ports/logger.ts'
import { type PrincipalSource, requireScope } from '../auth.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import type { Metrics } from '../metrics.ts'
import { authenticateSender } from '../otlp/authenticate-sender.ts'
import { RPC_CODES } from '../otlp/otlp-answers.ts'
import { encodeMessage, GrpcError, type GrpcStatus, INTERNAL_STATUS, publicStatus } from './grpc-error.ts'
import { ACCEPTED_ENCODINGS, frameMessage, messageEncoding, readMessage } from './grpc-message.ts'
import { retryHeaders } from './grpc-retry.ts'
import type { GrpcMethod } from './otlp-methods.ts'

/** Calls that one connection may have open at the same time. */
const STREAMS_MAX = 100
/** How much one call, and one connection, may send ahead of what was read. */
const STREAM_WINDOW_BYTES = 1_048_576
const CONNECTION_WINDOW_BYTES = 4_194_304

const OK: GrpcStatus = { code: 0, message: '' }
const COMMON_HEADERS = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': ACCEPTED_ENCODINGS.join(','),
}

/** What the server needs besides its methods. */
export interface GrpcDeps {
  readonly senders: PrincipalSource
  readonly logger: Logger
  readonly metrics: Metrics
  /** What calls have to pass besides authentication; absent: nothing. */
  readonly requestLimits?: RequestLimits
}

/** Unary gRPC calls over HTTP/2 without TLS, by keys that may ingest. As much of gRPC as OTLP needs, and no more. */
export class GrpcServer {
  readonly #methods: ReadonlyMap<string, GrpcMethod>
  readonly #deps: GrpcDeps
  readonly #messageBytesMax: number
  readonly #server: Http2Server
  readonly #sessions = new Set<ServerHttp2Session>()

  constructor(methods: ReadonlyMap<string, GrpcMethod>, deps: GrpcDeps, messageBytesMax: number) {
    this.#methods = methods
    this.#deps = deps
    this.#messageBytesMax = messageBytesMax
    this.#server = createServer({
      settings: { maxConcurrentStreams: STREAMS_MAX, initialWindowSize: STREAM_WINDOW_BYTES },
    })
    this.#server.on('session', (session) => this.#welcome(session))
    this.#server.on('stream', (stream, headers) => void this.#serve(stream, headers))
  }

  /** Starts to accept calls. Where it cannot, it says so in the log: everything it does can be done over HTTP as well. */
  async listen(port: number, host: string): Promise<AddressInfo | undefined> {
    try {
      this.#server.listen(port, host)
      await once(this.#server, 'listening')
      return this.#server.address() as AddressInfo
    } catch (error) {
      this.#deps.logger.warn(
        { err: error, port },
        'cannot listen for OTLP over gRPC; choose another ASSAY_OTLP_GRPC_PORT, or 0 to turn it off',
      )
      return undefined
    }
  }

  /** Stops accepting, tells every caller, and waits for calls under way; after `patienceMs` their connections are cut. */
  async close(patienceMs: number): Promise<void> {
    if (!this.#server.listening) return
    // This tells the callers too, who then begin no further call on their connections.
    const closed = new Promise((resolve) => this.#server.close(resolve))
    const impatience = setTimeout(() => {
      for (const session of this.#sessions) session.destroy()
    }, patienceMs)
    await closed
    clearTimeout(impatience)
  }

  #welcome(session: ServerHttp2Session): void {
    this.#sessions.add(session)
    session.once('close', () => this.#sessions.delete(session))
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES)
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    // A caller that goes away in the middle is no fault of ours.
    stream.on('error', () => {})
    const refusal = refuseHttp(headers)
    if (refusal !== undefined) return endEarly(stream, { ':status': refusal })
    const path = headers[':path'] ?? ''
    const method = this.#methods.get(path)
    const status = await this.#answer(stream, headers, method)
    const name = method ? path : 'unknown'
    this.#deps.metrics.countGrpcCall(name, status.code)
    this.#deps.logger.debug({ method: name, status: status.code }, 'gRPC call')
  }

  /** Sends the answer or the error, and tells which status it was. */
  async #answer(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    method: GrpcMethod | undefined,
  ): Promise<GrpcStatus> {
    try {
      sendAnswer(stream, await this.#call(stream, headers, method))
      return OK
    } catch (error) {
      const status = publicStatus(error)
      if (!status) this.#deps.logger.error({ err: error }, 'gRPC call failed')
      sendStatus(stream, status ?? INTERNAL_STATUS)
      return status ?? INTERNAL_STATUS
    }
  }

  async #call(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    method: GrpcMethod | undefined,
  ): Promise<Buffer> {
    if (!method) throw new GrpcError(RPC_CODES.unimplemented, 'no such method')
    const encoding = messageEncoding(headers['grpc-encoding'])
    // Before the message is read: whoever has no key cannot make us read 16 MiB.
    const principal = await this.#authenticate(stream, headers)
    const { requestLimits } = this.#deps
    requestLimits?.takeRequest(principal, method.bringsSpans === true)
    requireScope(principal, ['ingest'])
    if (method.bringsSpans) await requestLimits?.requireRoom(principal)
    return method.call(principal, await readMessage(stream, encoding, this.#messageBytesMax))
  }

  /** Attempts without a valid key count against the address they come from. */
  async #authenticate(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<Principal> {
    const { senders, logger, requestLimits } = this.#deps
    try {
      return await authenticateSender(senders, headers.authorization, logger)
    } catch (error) {
      const socketAddress = stream.session?.socket?.remoteAddress
      throw requestLimits?.judgeFailure(error, socketAddress, headers['x-forwarded-for']) ?? error
    }
  }
}

/** The HTTP status for what is not even a gRPC call; undefined for what is one. */
function refuseHttp(headers: IncomingHttpHeaders): number | undefined {
  if (headers[':method'] !== 'POST') return 405
  return /^application\/grpc(?:\+proto)?\s*(?:;|$)/i.test(headers['content-type'] ?? '') ? undefined : 415
}

function sendAnswer(stream: ServerHttp2Stream, message: Buffer): void {
  if (stream.destroyed) return
  stream.respond(COMMON_HEADERS, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.end(frameMessage(message))
}

/** An error has no message, so that its headers are its trailers as well. */
function sendStatus(stream: ServerHttp2Stream, status: GrpcStatus): void {
  const { code, message, retryAfterMs } = status
  endEarly(stream, {
    ...COMMON_HEADERS,
    'grpc-status': String(code),
    'grpc-message': encodeMessage(message),
    ...(retryAfterMs === undefined ? {} : retryHeaders(status, retryAfterMs)),
  })
}

/** Answers without reading what the caller may still be sending. */
function endEarly(stream: ServerHttp2Stream, headers: Record<string, string | number>): void {
  if (stream.destroyed) return
  stream.respond(headers, { endStream: true })
  stream.close(constants.NGHTTP2_NO_ERROR)
}
