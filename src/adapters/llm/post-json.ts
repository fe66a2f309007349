import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { ModelFailure } from '../../domain/model-failure.ts'

/** An answer of a server, whatever it says. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Faults of a certificate stay until an operator fixes them. */
const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/

/**
 * Sends one request and reads the answer, at most `answerBytesMax` bytes of it. Redirects are not followed: a key and a judged text go
 * where the operator said and nowhere else. Failures are thrown as a `ModelFailure` that repeats nothing of the request.
 *
 * Node's own client takes half the time of fetch for a call (docs/decisions/0011-calling-models.md). Its global agent keeps
 * connections and knows the operator's proxies.
 */
export async function postJson(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  answerBytesMax: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  try {
    return await exchange(url, headers, JSON.stringify(body), answerBytesMax, signal)
  } catch (error) {
    if (signal.aborted) throw new ModelFailure('deadline', `${url.host} took too long to answer`)
    if (error instanceof ModelFailure) throw error
    throw connectionFailure(error, url.host)
  }
}

function exchange(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  answerBytesMax: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http
    const options = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json',
        'user-agent': 'assay',
        ...headers,
      },
      signal,
    }
    const outgoing = request(url, options, (incoming) => {
      readText(incoming, url.host, answerBytesMax).then((text) => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text })
      }, reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function readText(incoming: IncomingMessage, host: string, bytesMax: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      chunks.push(chunk)
      if (length <= bytesMax) return
      // Nothing more is read: the connection ends here.
      incoming.destroy()
      reject(new ModelFailure('rejected', `the answer of ${host} has more than ${bytesMax} bytes`))
    })
    incoming.on('end', () => resolve(Buffer.concat(chunks, length).toString('utf8')))
    incoming.on('error', reject)
  })
}

/** The messages of the runtime are left out: they may repeat what was sent. */
function connectionFailure(error: unknown, host: string): ModelFailure {
  const code = String((error as { code?: unknown })?.code ?? '')
  const shown = /^[A-Z0-9_]{3,60}$/.test(code) ? ` (${code})` : ''
  return CERTIFICATE_FAULT.test(code)
    ? new ModelFailure('rejected', `the certificate of ${host} cannot be trusted${shown}`)
    : new ModelFailure('busy', `${host} cannot be reached or broke the connection${shown}`)
}
