import { ModelFailure } from '../../domain/model-failure.ts'

/** An answer of a server, whatever it says. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Faults of a certificate stay until somebody does something. */
const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/

/**
 * Sends one request and reads the answer, at most `answerBytesMax` bytes of it. Redirects are not followed: a key and a judged text go
 * where the operator said and nowhere else. What is thrown is a `ModelFailure` that repeats nothing of the request, because
 * the messages of the runtime can carry the key.
 */
export async function postJson(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  answerBytesMax: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'assay', ...headers },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    })
    return {
      status: response.status,
      headers: response.headers,
      text: await readText(response, url.host, answerBytesMax),
    }
  } catch (error) {
    if (signal.aborted) throw new ModelFailure('deadline', `${url.host} took too long to answer`)
    if (error instanceof ModelFailure) throw error
    throw connectionFailure(error, url.host)
  }
}

async function readText(response: Response, host: string, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early ends the body and with it the connection.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > bytesMax) {
      throw new ModelFailure('rejected', `the answer of ${host} has more than ${bytesMax} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length).toString('utf8')
}

function connectionFailure(error: unknown, host: string): ModelFailure {
  const code = String(
    (error as { cause?: { code?: unknown } })?.cause?.code ?? (error as { code?: unknown })?.code ?? '',
  )
  const shown = /^[A-Z0-9_]{3,60}$/.test(code) ? ` (${code})` : ''
  return CERTIFICATE_FAULT.test(code)
    ? new ModelFailure('rejected', `the certificate of ${host} cannot be trusted${shown}`)
    : new ModelFailure('busy', `${host} cannot be reached or broke the connection${shown}`)
}
