import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { sendClientError } from '../error-response.ts'
import type { TlsCertificates } from '../tls/tls-certificates.ts'
import { type BodyPace, BodyWatch } from './body-watch.ts'
import type { ConnectionTable } from './connection-table.ts'
import { RequestLanes, type Serve } from './request-lanes.ts'

/** How long a client may take for each part of a request and its answer. */
export interface ListenerTimes extends BodyPace {
  /** From the first byte, or the opening of the connection, to the end of the headers; also for a TLS handshake. */
  readonly headersMsMax: number
  /** From the first byte of a request to the end of its body. */
  readonly bodyMsMax: number
  /** Between an answer and the next request. */
  readonly idleMsMax: number
  /** For which a client may read nothing of an answer that waits for it. */
  readonly unreadMsMax: number
}

/** Options of an HTTP listener. */
export interface ListenerOptions extends ListenerTimes {
  readonly connections: ConnectionTable
  /** Absent: connections are not encrypted. */
  readonly certificates?: TlsCertificates
}

/** How often connections are looked over. */
const CHECK_MS = 1_000

/** Times that suit ordinary clients. */
export const LISTENER_TIMES: ListenerTimes = {
  headersMsMax: 20_000,
  bodyMsMax: 300_000,
  bodyBytesPerSecondMin: 1_024,
  idleMsMax: 72_000,
  unreadMsMax: 60_000,
}

/** A server for HTTP/1.1 whose clients can hold neither memory nor descriptors for long without using them. */
export function createListener(serve: Serve, options: ListenerOptions): Server {
  const { connections, certificates, headersMsMax, bodyMsMax } = options
  const lanes = new RequestLanes(connections)
  const bodies = new BodyWatch(
    options,
    (socket) => lanes.isHeld(socket),
    (socket) => {
      if (lanes.isUnanswered(socket)) timeOut(socket)
      // It has its answer, for example 401, and goes on sending.
      else socket.destroy()
    },
  )
  const accept = (handler: Serve) => (request: IncomingMessage, response: ServerResponse) => {
    bodies.add(request)
    lanes.accept(request, response, handler)
  }
  const settings = {
    // Without a Host header Node.js would answer by itself, without our error object.
    requireHostHeader: false,
    headersTimeout: headersMsMax,
    requestTimeout: Math.max(bodyMsMax, headersMsMax),
    keepAliveTimeout: options.idleMsMax,
    connectionsCheckingInterval: CHECK_MS,
  }
  const server = certificates
    ? https.createServer(
        { ...settings, ...certificates.current(), handshakeTimeout: headersMsMax },
        accept(serve),
      )
    : http.createServer(settings, accept(serve))
  certificates?.serve(server as https.Server)
  server.prependListener('connection', (socket: Socket) => void connections.open(socket))
  server.on('clientError', sendClientError)
  // An expectation that is not 100-continue; Node.js would answer it without our error object.
  server.on('checkExpectation', accept(refuseExpectation))
  server.setTimeout(options.unreadMsMax, (socket) => {
    // Long evaluations send nothing for a while, and that is the service's fault and not the client's.
    if (lanes.isAtWork(socket)) socket.setTimeout(options.unreadMsMax)
    else socket.destroy()
  })
  tick(server, (ms) => bodies.pass(ms))
  return server
}

/**
 * Tells how much time has passed, again and again. Of a time in which this process stood still only a little counts: its
 * clients could not send meanwhile.
 */
function tick(server: Server, pass: (ms: number) => void): void {
  let timer: NodeJS.Timeout | undefined
  server.on('listening', () => {
    let lastMs = performance.now()
    timer = setInterval(() => {
      const nowMs = performance.now()
      pass(Math.min(nowMs - lastMs, CHECK_MS * 2))
      lastMs = nowMs
    }, CHECK_MS).unref()
  })
  server.on('close', () => clearInterval(timer))
}

function timeOut(socket: Socket): void {
  const error: NodeJS.ErrnoException = new Error('the body arrives too slowly')
  error.code = 'ERR_HTTP_REQUEST_TIMEOUT'
  sendClientError(error, socket)
}

function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417, { 'content-type': 'application/json; charset=utf-8' })
  response.end('{"error":"invalid input: Expect must be 100-continue"}')
}
