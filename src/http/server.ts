import { PassThrough, pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { notFound } from '../domain/errors.ts'
import type { Principal } from '../domain/tenant.ts'
import { parseInput } from '../evaluators/kit/parse-input.ts'
import { invalidInput, PublicError } from '../lib/public-error.ts'
import { takesCoding } from './accept-encoding.ts'
import { authenticate, requirePermission } from './auth.ts'
import { BodyBudget } from './body-budget.ts'
import { ConnectionTable } from './connections/connection-table.ts'
import { createListener, LISTENER_TIMES, type ListenerOptions } from './connections/create-listener.ts'
import {
  isDashboardAddress,
  isLostBrowser,
  type SendNotFoundPage,
  serveDashboard,
} from './dashboard/serve-dashboard.ts'
import { sendError } from './error-response.ts'
import { authenticateSender } from './otlp/authenticate-sender.ts'
import { encodeOtlpError, otlpEncoding } from './otlp/otlp-body.ts'
import { RequestBodies } from './request-bodies.ts'
import {
  type AnyRoute,
  EncodedAnswer,
  JsonText,
  permissionsOf,
  type RouteDeps,
  StreamedAnswer,
} from './route.ts'
import { StaticFile, sendStaticFile } from './static-file.ts'

/** Longest path parameter the router hands on, in bytes: as much as Node.js takes in a request line, so that an id that is too long is simply unknown. */
const PARAM_BYTES_MAX = 16_384
/**
 * Largest body of a request that configures something. Such a body is parsed and checked on the event loop, and this is
 * about what can be done there without a pause that others would notice.
 */
const CONTROL_BODY_BYTES_MAX = 2_097_152
/** A request id from outside is kept when it is harmless in a log and in a header. */
const REQUEST_ID = /^[\w.-]{1,128}$/

/** The options of the edge besides the routes and their dependencies. */
export interface ServerOptions {
  readonly bodyBytesMax: number
  /** Checks every answer against its schema; for tests, where a drift must not go unnoticed. */
  readonly checkAnswers?: boolean
  /** The folder of the built dashboard, which need not exist; absent: no dashboard is served. */
  readonly dashboardDir?: string
  /** Absent: limits that suit ordinary clients, without TLS. */
  readonly listener?: ListenerOptions
  /** Memory for the bodies of requests under way. Absent: as much as a test needs. */
  readonly bodies?: BodyBudget
}

/** The parts of the edge that routes need. */
interface Edge {
  readonly connections: ConnectionTable
  readonly bodies: RequestBodies
}

const DEFAULT_BODIES_BYTES = 268_435_456

function defaultListener(): ListenerOptions {
  const counts = { connectionsMax: 1_000, connectionsPerAddressMax: 1_000, trustedProxies: [] }
  return { connections: new ConnectionTable(counts), ...LISTENER_TIMES }
}

/** Puts the HTTP interface together: the routes, and around them everything that all of them share. */
export function buildServer(
  routes: readonly AnyRoute[],
  deps: RouteDeps,
  options: ServerOptions,
): FastifyInstance {
  const listener = options.listener ?? defaultListener()
  const server = Fastify({
    logger: false,
    bodyLimit: options.bodyBytesMax,
    genReqId: (request) => requestId(request.headers['x-request-id'], deps),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    serverFactory: (serve) => createListener(serve, listener),
    // The listener answers these itself.
    clientErrorHandler() {},
    // Faults found before the hooks run, so that the headers of every answer are set here too.
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply)
      sendError(error, reply, deps.logger)
      reportRequest(request, reply, deps)
    },
    routerOptions: { maxParamLength: PARAM_BYTES_MAX },
  })
  server.setErrorHandler((error, _request, reply) => sendError(error, reply, deps.logger))
  let sendNotFoundPage: SendNotFoundPage | undefined
  server.addHook('onRequest', async (request, reply) => {
    setCommonHeaders(request, reply)
    if (request.headers.host === undefined && request.raw.httpVersion !== '1.0') {
      reply.header('connection', 'close')
      throw invalidInput('Host is required')
    }
    // Here and not in the handler for unknown routes, so that no body is read for nothing.
    if (request.is404) {
      if (sendNotFoundPage && isLostBrowser(request) && methodsAt(routes, request.url).length === 0)
        return sendNotFoundPage(reply)
      refuseAddress(routes, options, request, reply)
    }
  })
  // While the service drains, requests under way are served and their connections end with the answer.
  let isDraining = false
  server.addHook('preClose', async () => {
    isDraining = true
  })
  server.addHook('onSend', async (_request, reply) => {
    if (isDraining) reply.header('connection', 'close')
  })
  server.addHook('onResponse', async (request, reply) => reportRequest(request, reply, deps))
  const bodies = new RequestBodies(options.bodies ?? new BodyBudget(DEFAULT_BODIES_BYTES))
  bodies.acceptAnyType(server)
  const edge = { connections: listener.connections, bodies }
  for (const route of routes) addRoute(server, route, deps, options, edge)
  if (options.dashboardDir !== undefined) sendNotFoundPage = serveDashboard(server, options.dashboardDir)
  return server
}

function reportRequest(request: FastifyRequest, reply: FastifyReply, { metrics, logger }: RouteDeps): void {
  // The pattern, not the address: an address may hold what a user typed, and there is no end of them.
  const route = request.routeOptions?.url ?? 'unknown'
  const seconds = reply.elapsedTime / 1_000
  metrics.countRequest(route, request.method, reply.statusCode, seconds)
  const fields = { requestId: request.id, method: request.method, route, status: reply.statusCode, seconds }
  logger.debug(fields, 'request')
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
  reply.header('cache-control', 'no-store')
}

function addRoute(
  server: FastifyInstance,
  route: AnyRoute,
  deps: RouteDeps,
  options: ServerOptions,
  { connections, bodies }: Edge,
): void {
  const principals = new WeakMap<FastifyRequest, Principal>()
  const isOtlp = route.bodyAs === 'otlp'
  const bodyBytesMax =
    route.bodyAs === 'bytes' || isOtlp
      ? options.bodyBytesMax
      : Math.min(options.bodyBytesMax, CONTROL_BODY_BYTES_MAX)
  server.route({
    ...(isOtlp ? { errorHandler: otlpErrorHandler(deps) } : {}),
    method: route.method,
    bodyLimit: bodyBytesMax,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // Before the body is read: a caller without a key cannot make us read 16 MiB.
    async onRequest(request, reply) {
      const { authorization, 'content-type': contentType } = request.headers
      if (route.access === 'public') {
        await route.admit?.(authorization, deps)
        bodies.reserve(request, reply, '')
        return
      }
      const principal = await (isOtlp
        ? authenticateSender(deps.senders ?? deps.storage, authorization, deps.logger)
        : authenticate(deps.storage, authorization)
      ).catch((error) => refuseCaller(error, request, deps))
      connections.showKey(request.raw.socket)
      const bringsSpans = route.bringsSpans === true
      deps.requestLimits?.takeRequest(principal, bringsSpans, (name, value) => void reply.header(name, value))
      requirePermission(principal, permissionsOf(route.access))
      if (bringsSpans) await deps.requestLimits?.requireRoom(principal)
      principals.set(request, principal)
      if (isOtlp) otlpEncoding(contentType)
      bodies.reserve(request, reply, principal.orgId)
    },
    async handler(request, reply) {
      const { success } = route
      const answer = await route.handle(
        {
          principal: principals.get(request),
          params: route.params ? parseInput(route.params, request.params) : undefined,
          query: route.query ? parseInput(route.query, request.query) : undefined,
          body: route.body ? await bodies.read(request, route, bodyBytesMax) : undefined,
          signal: disconnectSignal(reply),
          origin: () => originOf(request),
          setHeader: (name, value) => void reply.header(name, value),
        },
        deps,
      )
      if (options.checkAnswers) checkAnswer(route, answer)
      reply.code(success.status)
      if (typeof success.contentType === 'string') reply.type(success.contentType)
      if (answer instanceof JsonText) return reply.type('application/json; charset=utf-8').send(answer.text)
      if (answer instanceof StaticFile) return sendStaticFile(request, reply, answer)
      if (answer instanceof StreamedAnswer) return sendStream(request, reply, answer, deps)
      if (answer instanceof EncodedAnswer) return reply.type(answer.contentType).send(answer.bytes)
      return reply.send(success.status === 204 ? undefined : answer)
    },
  })
}

/** Attempts without a valid key count against the address they come from. */
function refuseCaller(error: unknown, request: FastifyRequest, { requestLimits }: RouteDeps): never {
  const { socket, headers } = request.raw
  throw requestLimits?.judgeFailure(error, socket.remoteAddress, headers['x-forwarded-for']) ?? error
}

function checkAnswer({ success }: AnyRoute, answer: unknown): void {
  if (answer instanceof StreamedAnswer || answer instanceof StaticFile) return
  if (answer instanceof JsonText) success.schema?.parse(JSON.parse(answer.text))
  else if (!(answer instanceof EncodedAnswer)) success.schema?.parse(answer)
  else if (answer.contentType === 'application/json')
    success.schema?.parse(JSON.parse(answer.bytes.toString()))
}

/** The pieces are asked for one by one: the next one is made only when the client has taken what there is. */
function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, chunks, isLive }: StreamedAnswer,
  { logger }: RouteDeps,
) {
  const isCompressed = !isLive && takesCoding(request.headers['accept-encoding'], 'gzip')
  reply.type(contentType).header('vary', 'accept-encoding')
  if (isCompressed) reply.header('content-encoding', 'gzip')
  const body = isCompressed ? createGzip() : new PassThrough()
  // A fault in the middle ends the connection without the end of the answer, which is how a client can tell.
  pipeline(Readable.from(chunks), body, (error) => {
    const isClientGone = error?.code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (error && !isClientGone) logger.error({ err: error, requestId: request.id }, 'an answer broke off')
  })
  return reply.send(body)
}

function otlpErrorHandler({ logger }: RouteDeps): FastifyInstance['errorHandler'] {
  return (error, request, reply) =>
    sendError(error, reply, logger, encodeOtlpError(request.headers['content-type']))
}

/**
 * Where the caller reaches the service. A proxy that ends TLS says so in a header; a caller who makes it up misleads only
 * himself.
 */
function originOf({ raw, headers }: FastifyRequest): string {
  if (headers.host === undefined) throw invalidInput('Host is required')
  const isEncrypted = 'encrypted' in raw.socket || headers['x-forwarded-proto'] === 'https'
  return `${isEncrypted ? 'https' : 'http'}://${headers.host}`
}

function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}

function requestId(given: string | string[] | undefined, { ids }: RouteDeps): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : ids.newId()
}

/** 405 where another method would be taken, 404 elsewhere. */
function refuseAddress(
  routes: readonly AnyRoute[],
  { dashboardDir }: ServerOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): never {
  const isPage = dashboardDir !== undefined && isDashboardAddress(request.url)
  const allowed = isPage ? ['GET', 'HEAD'] : methodsAt(routes, request.url)
  if (allowed.length === 0) throw notFound('no such route')
  reply.header('allow', allowed.join(', '))
  throw new PublicError(
    'method_not_allowed',
    `${request.method} is not allowed here; allowed: ${allowed.join(', ')}`,
  )
}

/** The methods that some route would take at this address. */
function methodsAt(routes: readonly AnyRoute[], url: string): string[] {
  const parts = (url.split('?', 1)[0] ?? '').split('/')
  const methods = routes.filter(({ path }) => fits(path.split('/'), parts)).map(({ method }) => method)
  const withHead = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  return [...new Set(withHead)].sort()
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((piece, at) => (piece.startsWith('{') ? parts[at] !== '' : piece === parts[at]))
  )
}
