import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** How slowly a body may arrive. */
export interface BodyPace {
  /** Average of the whole body after the grace period; 0: any. */
  readonly bodyBytesPerSecondMin: number
}

/** How long a body may take before its pace matters: connections stall for a few seconds now and then. */
const GRACE_MS = 10_000

interface Watched {
  readonly socket: Socket
  readonly sinceMs: number
  readonly bytesBefore: number
}

/** Looks after bodies that are being received: a client that sends one too slowly holds memory and a descriptor for nothing. */
export class BodyWatch {
  readonly #pace: BodyPace
  readonly #isHeld: (socket: Socket) => boolean
  readonly #onSlow: (socket: Socket) => void
  readonly #watched = new Map<IncomingMessage, Watched>()
  #nowMs = 0

  /** `isHeld` tells whether a client cannot send because the service does not read. */
  constructor(pace: BodyPace, isHeld: (socket: Socket) => boolean, onSlow: (socket: Socket) => void) {
    this.#pace = pace
    this.#isHeld = isHeld
    this.#onSlow = onSlow
  }

  /** Bodies that are being received. */
  get size(): number {
    return this.#watched.size
  }

  /** Begins to watch a request that has a body, also one that no handler reads. */
  add(request: IncomingMessage): void {
    const { socket, headers } = request
    if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)) return
    this.#watched.set(request, { socket, sinceMs: this.#nowMs, bytesBefore: socket.bytesRead })
  }

  /** Lets time pass, and reports every sender that is too slow, once. */
  pass(ms: number): void {
    this.#nowMs += ms
    for (const [request, watched] of this.#watched) {
      const { socket } = watched
      if (request.complete || socket.destroyed) this.#watched.delete(request)
      // The service does not read yet, for example while it looks up the key, so the client cannot send either.
      else if (request.readableFlowing !== true || this.#isHeld(socket)) {
        this.#watched.set(request, { socket, sinceMs: this.#nowMs, bytesBefore: socket.bytesRead })
      } else if (this.#isTooSlow(watched)) {
        this.#watched.delete(request)
        this.#onSlow(socket)
      }
    }
  }

  #isTooSlow({ socket, sinceMs, bytesBefore }: Watched): boolean {
    const countedMs = this.#nowMs - sinceMs - GRACE_MS
    if (countedMs <= 0) return false
    return socket.bytesRead - bytesBefore < (this.#pace.bodyBytesPerSecondMin * countedMs) / 1_000
  }
}
