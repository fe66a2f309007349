import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { RecordedRequest } from './recording.ts'

/** A server between a client and a service: it passes everything on and keeps what was sent to `/v1/`. */
export interface Recorder {
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** Everything that was answered with an error, as `POST /path 404`. */
  readonly refusals: readonly string[]
  close(): Promise<void>
}

/** Starts a recorder in front of a service. */
export async function startRecorder(serviceUrl: string): Promise<Recorder> {
  const requests: RecordedRequest[] = []
  const refusals: string[] = []
  const server = http.createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
    const body = Buffer.concat(parts)
    const { url = '/', method = 'GET', headers } = request
    if (url.startsWith('/v1/') && method === 'POST') {
      requests.push({
        path: url,
        contentType: headers['content-type'] ?? '',
        body: headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body,
      })
    }
    const answer = await passOn(serviceUrl, request, body)
    if (answer.status >= 400) refusals.push(`${method} ${url} ${answer.status}`)
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refusals,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function passOn(serviceUrl: string, { url, method, headers }: http.IncomingMessage, body: Buffer) {
  const passed = ['authorization', 'content-type', 'content-encoding', 'accept', 'user-agent'].flatMap(
    (name) => (headers[name] === undefined ? [] : [[name, String(headers[name])] as [string, string]]),
  )
  const answer = await fetch(`${serviceUrl}${url}`, {
    method: method ?? 'GET',
    headers: passed,
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  })
  const type = answer.headers.get('content-type')
  return {
    status: answer.status,
    headers: type === null ? {} : { 'content-type': type },
    body: Buffer.from(await answer.arrayBuffer()),
  }
}
