import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { AnsweredCall, RecordedRequest } from './recording.ts'

/** A server between a client and a service: it passes everything on and keeps what was sent, and how calls were answered. */
export interface Recorder {
  readonly url: string
  /** The spans and logs that were sent. */
  readonly requests: readonly RecordedRequest[]
  /** Everything else. */
  readonly calls: readonly AnsweredCall[]
  /** Spans and logs that were answered with an error, which are no requests: they have to come again. */
  readonly refusals: readonly Refusal[]
  close(): Promise<void>
}

/** An export that was refused. */
export interface Refusal {
  readonly path: string
  /** The status of HTTP, or of gRPC. */
  readonly status: number
}

/** The answer of the service while its store takes nothing. */
const OUTAGE = { status: 503, headers: { 'retry-after': '1' }, body: Buffer.alloc(0) }

/** Starts a recorder in front of a service; the first export can be refused without the service. */
export async function startRecorder(serviceUrl: string, isFirstRefused: boolean): Promise<Recorder> {
  const requests: RecordedRequest[] = []
  const calls: AnsweredCall[] = []
  const refusals: Refusal[] = []
  const server = http.createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
    const body = Buffer.concat(parts)
    const { url = '/', method = 'GET', headers } = request
    const isExport = url.startsWith('/v1/') && method === 'POST'
    const isOutage = isExport && isFirstRefused && refusals.length === 0
    const answer = isOutage ? OUTAGE : await passOn(serviceUrl, request, body)
    const { status } = answer
    if (!isExport) calls.push({ method, path: url, body: read(body), status, answer: read(answer.body) })
    else if (status >= 400) refusals.push({ path: url, status })
    else {
      requests.push({
        path: url,
        contentType: headers['content-type'] ?? '',
        body: headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body,
      })
    }
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    calls,
    refusals,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The JSON of a body, or its text where it is none; null where there is nothing. */
function read(body: Buffer): unknown {
  if (body.length === 0) return null
  const text = body.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The service is told the host that the client has called: it puts it into the addresses that it gives. */
async function passOn(serviceUrl: string, { url, method, headers }: http.IncomingMessage, body: Buffer) {
  const call = http.request(`${serviceUrl}${url}`, { method, headers })
  call.end(body)
  const [answer] = (await once(call, 'response')) as [http.IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of answer as AsyncIterable<Buffer>) parts.push(part)
  const told = ['content-type', 'retry-after'].flatMap((name) =>
    answer.headers[name] === undefined ? [] : [[name, answer.headers[name]]],
  )
  return {
    status: answer.statusCode ?? 500,
    headers: Object.fromEntries(told),
    body: Buffer.concat(parts),
  }
}
