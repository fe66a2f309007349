import type { Socket } from 'node:net'
import { addressBlock, createAddressMatcher } from '../client-address.ts'

/** How many connections may be open. */
export interface ConnectionCounts {
  /** All connections of all listeners together. */
  readonly connectionsMax: number
  /** Connections of one address, or one IPv6 /64, that have not shown a valid key. */
  readonly connectionsPerAddressMax: number
  /** Addresses and ranges that the limit per address does not apply to, because many clients stand behind them. */
  readonly trustedProxies: readonly string[]
}

/**
 * Connections beyond the limit that are still accepted when every other connection serves a caller with a key. They get
 * answers to health checks and nothing else.
 */
const RESERVED_MAX = 16

/**
 * How willingly a connection is given up when another one needs its place; each rank is used up before the next one.
 *
 * | rank | the connection |
 * |---|---|
 * | `silent` | is idle and has never shown a valid key |
 * | `strange` | is being served and has never shown a valid key |
 * | `idle` | is idle and has shown a valid key |
 * | `reserved` | is one of the few beyond the limit |
 * | `busy` | serves a caller with a valid key; never given up |
 */
type Rank = 'silent' | 'strange' | 'idle' | 'reserved' | 'busy'
const GIVEN_UP: readonly Rank[] = ['silent', 'strange', 'idle']

/** One connection of a client. */
export interface Connection {
  readonly socket: Socket
  /** The address block that per-address limits count; undefined where none applies. */
  readonly block: string | undefined
  /** Accepted beyond the limit: gets answers to health checks and nothing else. */
  readonly isReserved: boolean
}

interface Entry extends Connection {
  readonly peer: string
  rank: Rank
  hasKey: boolean
  /** Requests or streams under way. */
  underWay: number
}

/**
 * Every open connection of the process. A new connection is never refused for the number of others: at the limit the one
 * that is needed least is closed instead, so that idle connections, however many, cannot keep health checks out.
 */
export class ConnectionTable {
  readonly #counts: ConnectionCounts
  readonly #isTrusted: (address: string) => boolean
  readonly #entries = new Map<Socket, Entry>()
  readonly #byPeer = new Map<string, Entry>()
  // In each set the connection that was used longest ago comes first.
  readonly #byRank: Readonly<Record<Rank, Set<Entry>>> = {
    silent: new Set(),
    strange: new Set(),
    idle: new Set(),
    reserved: new Set(),
    busy: new Set(),
  }
  readonly #keyless = new Map<string, Set<Entry>>()
  #closedCount = 0

  constructor(counts: ConnectionCounts) {
    this.#counts = counts
    this.#isTrusted = createAddressMatcher(counts.trustedProxies)
  }

  get size(): number {
    return this.#entries.size
  }

  /** Connections that were closed to make room for others. */
  get closedCount(): number {
    return this.#closedCount
  }

  /** Takes a new connection in and makes room for it. */
  open(socket: Socket): Connection {
    const isFull = this.#entries.size >= this.#counts.connectionsMax && !this.#closeOne(GIVEN_UP)
    if (isFull && this.#byRank.reserved.size >= RESERVED_MAX) this.#closeOne(['reserved'])
    const { remoteAddress = '' } = socket
    const entry: Entry = {
      socket,
      peer: peerOf(socket),
      block: this.#isTrusted(remoteAddress) ? undefined : addressBlock(remoteAddress),
      isReserved: isFull,
      rank: isFull ? 'reserved' : 'silent',
      hasKey: false,
      underWay: 0,
    }
    this.#entries.set(socket, entry)
    this.#byPeer.set(entry.peer, entry)
    this.#byRank[entry.rank].add(entry)
    this.#countKeyless(entry)
    socket.once('close', () => this.#forget(entry))
    return entry
  }

  /** The connection that a socket belongs to, also when the socket is the encrypted side of it. */
  find(socket: Socket | undefined): Connection | undefined {
    return socket && (this.#entries.get(socket) ?? this.#byPeer.get(peerOf(socket)))
  }

  /** A request or stream has begun. */
  begin(connection: Connection): void {
    const entry = connection as Entry
    entry.underWay++
    this.#place(entry)
  }

  /** A request or stream has ended. */
  end(connection: Connection): void {
    const entry = connection as Entry
    entry.underWay--
    this.#place(entry)
  }

  /** A valid key was shown on a socket: its connection no longer counts towards the limit of its address. */
  showKey(socket: Socket | undefined): void {
    const entry = this.find(socket) as Entry | undefined
    if (!entry || entry.hasKey) return
    entry.hasKey = true
    this.#uncountKeyless(entry)
    this.#place(entry)
  }

  #place(entry: Entry): void {
    if (!this.#entries.has(entry.socket)) return
    this.#byRank[entry.rank].delete(entry)
    entry.rank = rankOf(entry)
    this.#byRank[entry.rank].add(entry)
  }

  #countKeyless(entry: Entry): void {
    const { block } = entry
    if (block === undefined) return
    const ofBlock = this.#keyless.get(block) ?? new Set()
    this.#keyless.set(block, ofBlock.add(entry))
    if (ofBlock.size <= this.#counts.connectionsPerAddressMax) return
    const others = [...ofBlock].slice(0, -1)
    this.#close(others.find(({ underWay }) => underWay === 0) ?? others[0] ?? entry)
  }

  #uncountKeyless(entry: Entry): void {
    const { block } = entry
    const ofBlock = block === undefined ? undefined : this.#keyless.get(block)
    ofBlock?.delete(entry)
    if (block !== undefined && ofBlock?.size === 0) this.#keyless.delete(block)
  }

  /** Closes the connection that is needed least; false when none of these ranks has one. */
  #closeOne(ranks: readonly Rank[]): boolean {
    for (const rank of ranks) {
      const [entry] = this.#byRank[rank]
      if (!entry) continue
      this.#close(entry)
      return true
    }
    return false
  }

  #close(entry: Entry): void {
    this.#closedCount++
    this.#forget(entry)
    entry.socket.destroy()
  }

  #forget(entry: Entry): void {
    if (!this.#entries.delete(entry.socket)) return
    if (this.#byPeer.get(entry.peer) === entry) this.#byPeer.delete(entry.peer)
    this.#byRank[entry.rank].delete(entry)
    this.#uncountKeyless(entry)
  }
}

function rankOf({ isReserved, hasKey, underWay }: Entry): Rank {
  if (isReserved) return 'reserved'
  if (underWay > 0) return hasKey ? 'busy' : 'strange'
  return hasKey ? 'idle' : 'silent'
}

/** Tells open connections apart. A connection over TLS has two sockets, which have only this in common. */
function peerOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${localPort} ${remoteAddress} ${remotePort}`
}
