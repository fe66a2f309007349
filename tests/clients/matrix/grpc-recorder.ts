import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { Refusal } from './recorder.ts'
import type { RecordedRequest } from './recording.ts'

/** Length of the prefix of a gRPC message: a flag for compression and the length of the message. */
const PREFIX_BYTES = 5

const UNAVAILABLE = 14

/** A server between a client and the gRPC port of a service; it passes everything on and keeps the messages. */
export interface GrpcRecorder {
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** Messages that were answered with an error, which are no requests: they have to come again. */
  readonly refusals: readonly Refusal[]
  close(): void
}

/** Starts a recorder in front of the gRPC port of a service; the first message can be refused without the service. */
export async function startGrpcRecorder(serviceUrl: string, isFirstRefused: boolean): Promise<GrpcRecorder> {
  const requests: RecordedRequest[] = []
  const refusals: Refusal[] = []
  const upstream = http2.connect(serviceUrl)
  const server = http2.createServer()
  const sessions = new Set<http2.ServerHttp2Session>()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', async (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
    const parts: Buffer[] = []
    for await (const part of stream) parts.push(part)
    const body = Buffer.concat(parts)
    const message = body.subarray(PREFIX_BYTES)
    const path = String(headers[':path'])
    if (isFirstRefused && refusals.length === 0) {
      refusals.push({ path, status: UNAVAILABLE })
      const refused = { 'content-type': 'application/grpc', 'grpc-status': UNAVAILABLE }
      return stream.respond({ ':status': 200, ...refused }, { endStream: true })
    }
    passOn(upstream, stream, headers, body, (status) => {
      if (status !== 0) refusals.push({ path, status })
      else
        requests.push({
          path,
          contentType: 'application/grpc',
          body: body[0] === 1 ? gunzipSync(message) : message,
        })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refusals,
    close() {
      upstream.destroy()
      for (const session of sessions) session.destroy()
      server.close()
    },
  }
}

function passOn(
  upstream: http2.ClientHttp2Session,
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  body: Buffer,
  onStatus: (status: number) => void,
): void {
  const { ':authority': _authority, ...rest } = headers
  const call = upstream.request(rest)
  let trailers: http2.IncomingHttpHeaders = {}
  call.on('response', ({ ':status': status, ...answered }) => {
    // An error has no message: its headers are its trailers.
    const isOver = answered['grpc-status'] !== undefined
    if (isOver) onStatus(Number(answered['grpc-status']))
    stream.respond(
      { ':status': status, ...answered },
      isOver ? { endStream: true } : { waitForTrailers: true },
    )
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  })
  call.on('trailers', (given) => {
    trailers = given
    onStatus(Number(given['grpc-status']))
  })
  call.on('data', (chunk) => stream.write(chunk))
  call.on('end', () => {
    if (!stream.writableEnded) stream.end()
  })
  call.end(body)
}
