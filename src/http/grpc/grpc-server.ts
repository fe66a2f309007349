import { once } from 'node:events'
import {
  constants,
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { Principal } from '../../domain/tenant.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { Logger } from '../../ports/logger.ts'
import { type PrincipalSource, requirePermission } from '../auth.ts'
import type { BodyBudget, BodyShare } from '../body-budget.ts'
import type { ListenerOptions } from '../connections/create-listener.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import type { Metrics } from '../metrics.ts'
import { authenticateSender } from '../otlp/authenticate-sender.ts'
import { RPC_CODES } from '../otlp/otlp-answers.ts'
import { encodeMessage, GrpcError, type GrpcStatus, INTERNAL_STATUS, publicStatus } from './grpc-error.ts'
import { ACCEPTED_ENCODINGS, frameMessage, messageEncoding, readMessage } from './grpc-message.ts'
import { retryHeaders } from './grpc-retry.ts'
import type { GrpcMethod } from './otlp-methods.ts'
import { LimitedSession } from './session-limits.ts'

/** Calls that one connection may have open at the same time. */
const STREAMS_MAX = 100
/** Bytes of headers that a call may have; keys and metadata need a fraction of it. */
const HEADER_BYTES_MAX = 16_384
/** Frames that make no sense, and calls beyond the limit, after which a connection is closed. */
const INVALID_FRAMES_MAX = 100
const REJECTED_STREAMS_MAX = 100
/** How much one call, and one connection, may send ahead of what was read. */
const STREAM_WINDOW_BYTES = 1_048_576
const CONNECTION_WINDOW_BYTES = 4_194_304
/** How often to look whether an early answer has left for a caller that reads slowly. */
const SENT_CHECK_MS = 50

const OK: GrpcStatus = { code: 0, message: '' }
const COMMON_HEADERS = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': ACCEPTED_ENCODINGS.join(','),
}

/** The dependencies of the server besides its methods. */
export interface GrpcDeps {
  readonly senders: PrincipalSource
  readonly logger: Logger
  readonly metrics: Metrics
  /** Limits that calls pass after authentication; absent: none. */
  readonly requestLimits?: RequestLimits
  readonly bodies: BodyBudget
  readonly listener: ListenerOptions
}

/** Unary gRPC calls over HTTP/2, by keys that may ingest. As much of gRPC as OTLP needs, and no more. */
export class GrpcServer {
  readonly #methods: ReadonlyMap<string, GrpcMethod>
  readonly #deps: GrpcDeps
  readonly #messageBytesMax: number
  readonly #server: Http2Server | Http2SecureServer
  readonly #sessions = new Map<ServerHttp2Session, LimitedSession>()

  constructor(methods: ReadonlyMap<string, GrpcMethod>, deps: GrpcDeps, messageBytesMax: number) {
    this.#methods = methods
    this.#deps = deps
    this.#messageBytesMax = messageBytesMax
    this.#server = createHttp2Server(deps.listener)
    this.#server.prependListener(
      'connection',
      (socket: Socket) => void deps.listener.connections.open(socket),
    )
    this.#server.on('session', (session: ServerHttp2Session) => this.#welcome(session))
    this.#server.on(
      'stream',
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void this.#serve(stream, headers),
    )
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
      for (const session of this.#sessions.keys()) session.destroy()
    }, patienceMs)
    await closed
    clearTimeout(impatience)
  }

  #welcome(session: ServerHttp2Session): void {
    const { listener } = this.#deps
    const limited = LimitedSession.of(session, listener.connections, listener)
    if (!limited || limited.connection.isReserved) {
      session.destroy()
      return
    }
    this.#sessions.set(session, limited)
    session.once('close', () => this.#sessions.delete(session))
    // A caller that breaks the protocol is no fault of ours.
    session.on('error', () => {})
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES)
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    // A caller that goes away in the middle is no fault of ours.
    stream.on('error', () => {})
    const session = stream.session && this.#sessions.get(stream.session as ServerHttp2Session)
    if (!session) return void stream.destroy()
    session.begin(stream)
    const refusal = refuseHttp(headers)
    if (refusal !== undefined) return endEarly(stream, { ':status': refusal })
    const path = headers[':path'] ?? ''
    const method = this.#methods.get(path)
    const status = await this.#answer(stream, headers, method, session)
    const name = method ? path : 'unknown'
    this.#deps.metrics.countGrpcCall(name, status.code)
    this.#deps.logger.debug({ method: name, status: status.code }, 'gRPC call')
  }

  /** Sends the answer or the error, and tells which status it was. */
  async #answer(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    method: GrpcMethod | undefined,
    session: LimitedSession,
  ): Promise<GrpcStatus> {
    try {
      sendAnswer(stream, await this.#call(stream, headers, method, session))
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
    session: LimitedSession,
  ): Promise<Buffer> {
    if (!method) throw new GrpcError(RPC_CODES.unimplemented, 'no such method')
    const encoding = messageEncoding(headers['grpc-encoding'])
    const { requestLimits, bodies, listener } = this.#deps
    // Before the message is read: a caller without a key cannot make us read 16 MiB.
    const principal = await this.#authenticate(stream, headers)
    listener.connections.showKey(session.connection.socket)
    requestLimits?.takeRequest(principal, method.bringsSpans === true)
    requirePermission(principal, ['ingest'])
    if (method.bringsSpans) await requestLimits?.requireRoom(principal)
    const share = bodies.open(principal.orgId)
    try {
      return await method.call(principal, await this.#read(stream, encoding, share))
    } finally {
      share.release()
    }
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

  #read(stream: ServerHttp2Stream, encoding: string, share: BodyShare): Promise<Buffer> {
    const { bodyMsMax, unreadMsMax } = this.#deps.listener
    const late = Promise.withResolvers<never>()
    const giveUp = () => late.reject(new PublicError('deadline', 'the message did not arrive in time'))
    const timer = setTimeout(giveUp, bodyMsMax)
    stream.setTimeout(Math.min(unreadMsMax, bodyMsMax), giveUp)
    const message = readMessage(stream, encoding, this.#messageBytesMax, share)
    return Promise.race([message, late.promise]).finally(() => {
      clearTimeout(timer)
      stream.setTimeout(0)
    })
  }
}

function createHttp2Server({ certificates }: ListenerOptions): Http2Server | Http2SecureServer {
  const limits = {
    settings: {
      maxConcurrentStreams: STREAMS_MAX,
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxHeaderListSize: HEADER_BYTES_MAX,
    },
    maxSessionInvalidFrames: INVALID_FRAMES_MAX,
    maxSessionRejectedStreams: REJECTED_STREAMS_MAX,
  }
  if (!certificates) return createServer(limits)
  const server = createSecureServer({ ...limits, ...certificates.current() })
  certificates.serve(server)
  return server
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
  resetWhenSent(stream)
}

/** Stops the caller from sending. A reset drops headers of the same call that still wait to be sent, so it waits for them. */
function resetWhenSent(stream: ServerHttp2Stream): void {
  setImmediate(() => {
    if (stream.destroyed) return
    if (stream.session?.state.outboundQueueSize) setTimeout(resetWhenSent, SENT_CHECK_MS, stream)
    else stream.close(constants.NGHTTP2_NO_ERROR)
  })
}
