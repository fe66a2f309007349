import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection, ConnectionTable } from './connection-table.ts'

/** Serves one request. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** Requests of one connection that are served at the same time; the answers leave in order anyway. */
const SERVED_MAX = 8
/** No further request of a connection is served while it has more than this to read. */
const UNREAD_BYTES_MAX = 262_144
/**
 * Requests of one connection, and of all, that may wait for their turn. Node.js reads all requests in 64 KiB before anything
 * else can happen, so that reading can be stopped only after that. No client is known to send so many ahead.
 */
const WAITING_MAX = 100
const WAITING_TOTAL_MAX = 5_000
/** The addresses that a connection beyond the limit may ask for. */
const HEALTH_ADDRESSES: readonly (string | undefined)[] = ['/healthz', '/health', '/readyz']

interface Waiting {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly serve: Serve
}

interface Lane {
  readonly connection: Connection
  readonly socket: Socket
  readonly served: Set<ServerResponse>
  readonly waiting: Waiting[]
}

/**
 * Gives every connection its own lane, in which requests that were sent ahead wait. Without this Node.js would serve all of
 * them at once, and a client that never reads its answers would fill the memory with them.
 */
export class RequestLanes {
  readonly #table: ConnectionTable
  readonly #lanes = new WeakMap<Socket, Lane>()
  #waitingTotal = 0

  constructor(table: ConnectionTable) {
    this.#table = table
  }

  /** Serves a request when it is its turn; a connection that has sent too many ahead is closed. */
  accept(request: IncomingMessage, response: ServerResponse, serve: Serve): void {
    const lane = this.#laneOf(request.socket)
    if (!lane || lane.socket.destroyed) {
      request.socket.destroy()
      return
    }
    if (lane.waiting.length === 0 && hasRoom(lane)) {
      this.#serve(lane, { request, response, serve })
      return
    }
    const isTooMany = lane.waiting.length >= WAITING_MAX || this.#waitingTotal >= WAITING_TOTAL_MAX
    if (isTooMany) {
      lane.socket.destroy()
      return
    }
    lane.waiting.push({ request, response, serve })
    this.#waitingTotal++
    lane.socket.pause()
  }

  /** Whether a socket is not read because requests on it wait, so that its client cannot send. */
  isHeld(socket: Socket): boolean {
    return (this.#lanes.get(socket)?.waiting.length ?? 0) > 0
  }

  /** Whether answers on a socket are being made, with nothing that the client has yet to read. */
  isAtWork(socket: Socket): boolean {
    return (this.#lanes.get(socket)?.served.size ?? 0) > 0 && socket.writableLength === 0
  }

  /** Whether requests on a socket are under way of which none has an answer yet, so that another answer can be sent. */
  isUnanswered(socket: Socket): boolean {
    const served = this.#lanes.get(socket)?.served
    return served !== undefined && served.size > 0 && ![...served].some(({ headersSent }) => headersSent)
  }

  #laneOf(socket: Socket): Lane | undefined {
    const known = this.#lanes.get(socket)
    if (known) return known
    const connection = this.#table.find(socket)
    if (!connection) return undefined
    const lane: Lane = { connection, socket, served: new Set(), waiting: [] }
    this.#lanes.set(socket, lane)
    socket.once('close', () => this.#clear(lane))
    // Node.js reads on when a request ends, whatever else there is to do.
    socket.on('resume', () => {
      if (lane.waiting.length > 0) socket.pause()
    })
    return lane
  }

  #serve(lane: Lane, { request, response, serve }: Waiting): void {
    lane.served.add(response)
    this.#table.begin(lane.connection)
    response.once('close', () => this.#finish(lane, response))
    if (lane.connection.isReserved && !isHealthCheck(request)) refuse(response)
    else serve(request, response)
  }

  #finish(lane: Lane, response: ServerResponse): void {
    if (!lane.served.delete(response)) return
    this.#table.end(lane.connection)
    while (!lane.socket.destroyed && hasRoom(lane)) {
      const next = lane.waiting.shift()
      if (!next) return
      this.#waitingTotal--
      this.#serve(lane, next)
      if (lane.waiting.length === 0) lane.socket.resume()
    }
  }

  #clear(lane: Lane): void {
    this.#waitingTotal -= lane.waiting.length
    lane.waiting.length = 0
    // Node.js tells only the answer that was being sent; those behind it hold resources too.
    setImmediate(() => {
      for (const response of lane.served) response.emit('close')
    })
  }
}

function hasRoom({ served }: Lane): boolean {
  if (served.size === 0) return true
  if (served.size >= SERVED_MAX) return false
  let unreadBytes = 0
  for (const response of served) unreadBytes += response.writableLength
  return unreadBytes <= UNREAD_BYTES_MAX
}

function isHealthCheck({ url }: IncomingMessage): boolean {
  return HEALTH_ADDRESSES.includes(url?.split('?', 1)[0])
}

function refuse(response: ServerResponse): void {
  response.writeHead(503, {
    'content-type': 'application/json; charset=utf-8',
    'retry-after': '1',
    connection: 'close',
  })
  response.end('{"error":"too many connections are open; try again"}')
}
