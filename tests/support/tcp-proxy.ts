import { connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'

/** Stands between a client and a server, and can be cut like a cable. */
export interface TcpProxy {
  /** The URL of the server, by way of the proxy. */
  readonly url: string
  /** Ends all connections and takes no more. */
  cut(): void
  mend(): void
}

/** Opens a way to the server that a URL names; it ends with the test file. */
export async function openTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  after(() => {
    cut()
    server.close()
  })
  const url = new URL(serverUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    cut,
    mend: () => {
      isCut = false
    },
  }
}
