import { once } from 'node:events'
import net from 'node:net'

/** A bare TCP connection that decides itself what it sends and whether it reads. */
export interface RawConnection {
  readonly socket: net.Socket
  /** Everything received so far; stays empty for a connection that never reads. */
  received(): string
  /** Whether the service has closed its side, or the connection is gone. */
  isClosed(): boolean
}

/** Connects and sends `text`. With `reads: false` nothing that the service sends is taken from the system. */
export async function rawConnection(
  url: string,
  text: string | Buffer,
  { reads = true, localAddress }: { readonly reads?: boolean; readonly localAddress?: string } = {},
): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = net.connect({
    host: hostname,
    port: Number(port),
    allowHalfOpen: true,
    ...(localAddress === undefined ? {} : { localAddress }),
  })
  let received = ''
  let isClosed = false
  const close = () => {
    isClosed = true
  }
  socket.on('error', close).on('close', close).on('end', close)
  if (reads) socket.setEncoding('latin1').on('data', (part) => (received += part))
  else socket.pause()
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
  socket.write(text)
  return { socket, received: () => received, isClosed: () => isClosed }
}
