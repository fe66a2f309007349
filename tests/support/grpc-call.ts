import type http2 from 'node:http2'
import { FIRST_KEY } from './call.ts'

/** The result of a gRPC call; `message` is the answer without its prefix, undefined when there was none. */
export interface GrpcAnswer {
  readonly httpStatus: number
  readonly headers: http2.IncomingHttpHeaders
  /** From the trailers, or from the headers when there is nothing else. */
  readonly status: number
  readonly errorMessage: string | undefined
  readonly message: Buffer | undefined
  /** Whether the answer was nothing but headers. */
  readonly isTrailersOnly: boolean
}

/** How a test calls. */
export interface GrpcCallOptions {
  readonly key?: string | null
  readonly headers?: Record<string, string>
  /** The body in pieces; the request stays open when the last one is 'open'. */
  readonly parts?: readonly (Buffer | 'open')[]
}

export const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
export const LOGS = '/opentelemetry.proto.collector.logs.v1.LogsService/Export'

/** A message with its prefix. */
export function framed(message: Uint8Array, flag = 0): Buffer {
  const prefix = Buffer.alloc(5)
  prefix[0] = flag
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** One call on a session, in bare HTTP/2, so that a test decides every byte. */
export function grpcCall(
  session: http2.ClientHttp2Session,
  path: string,
  { key = FIRST_KEY, headers, parts = [framed(Buffer.alloc(0))] }: GrpcCallOptions = {},
): Promise<GrpcAnswer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(
      {
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      { endStream: parts.length === 0 },
    )
    let head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {}
    let trailers: http2.IncomingHttpHeaders | undefined
    const received: Buffer[] = []
    stream.on('response', (given) => {
      head = given
    })
    stream.on('trailers', (given) => {
      trailers = given
    })
    stream.on('data', (part: Buffer) => received.push(part))
    stream.on('error', reject)
    stream.on('close', () => {
      const last = trailers ?? head
      const text = last['grpc-message']
      resolve({
        httpStatus: head[':status'] ?? 0,
        headers: head,
        status: Number(last['grpc-status'] ?? Number.NaN),
        errorMessage: typeof text === 'string' ? decodeURIComponent(text) : undefined,
        message: received.length > 0 ? Buffer.concat(received).subarray(5) : undefined,
        isTrailersOnly: trailers === undefined && received.length === 0,
      })
    })
    for (const part of parts) if (part !== 'open') stream.write(part)
    if (!parts.includes('open')) stream.end()
  })
}
