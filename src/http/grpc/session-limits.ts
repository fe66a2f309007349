import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { Connection, ConnectionTable } from '../connections/connection-table.ts'

/** How long a caller may hold a connection without using it. */
export interface SessionTimes {
  /** Until the first call. */
  readonly headersMsMax: number
  /** Between calls over HTTP; over gRPC connections are kept longer, because opening one costs its callers more. */
  readonly idleMsMax: number
}

const IDLE_FACTOR = 5
/** How long a caller that was told to go may keep its side open. */
const LINGER_MS = 1_000

/** One connection of gRPC callers, as the limits see it. */
export class LimitedSession {
  readonly connection: Connection
  readonly #session: ServerHttp2Session
  readonly #connections: ConnectionTable
  readonly #times: SessionTimes
  #calls = 0

  /** Undefined when the connection has gone already. */
  static of(
    session: ServerHttp2Session,
    connections: ConnectionTable,
    times: SessionTimes,
  ): LimitedSession | undefined {
    const connection = connections.find(session.socket as Parameters<ConnectionTable['find']>[0])
    return connection && new LimitedSession(session, connection, connections, times)
  }

  private constructor(
    session: ServerHttp2Session,
    connection: Connection,
    connections: ConnectionTable,
    times: SessionTimes,
  ) {
    this.#session = session
    this.connection = connection
    this.#connections = connections
    this.#times = times
    session.setTimeout(times.headersMsMax, () => {
      if (this.#calls === 0) this.#end()
    })
  }

  /** Counts a call until its stream is closed. */
  begin(stream: ServerHttp2Stream): void {
    this.#calls++
    this.#connections.begin(this.connection)
    this.#session.setTimeout(this.#times.idleMsMax * IDLE_FACTOR)
    stream.once('close', () => {
      this.#calls--
      this.#connections.end(this.connection)
    })
  }

  /** Tells the caller to go, and closes the connection whether it does or not. */
  #end(): void {
    this.#session.close()
    setTimeout(() => this.connection.socket.destroy(), LINGER_MS).unref()
  }
}
