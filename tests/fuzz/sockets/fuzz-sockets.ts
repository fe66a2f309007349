import net from 'node:net'
import type { FuzzKind } from '../fuzz-kind.ts'
import { type FuzzedService, startFuzzedService } from '../fuzzed-service.ts'
import { makeSocketInput, type SocketInput } from './socket-inputs.ts'

/** How long the server may leave a connection open that should end; only one that hangs reaches it. */
const OPEN_MS_MAX = 60_000
const ALLOWED_5XX = new Set([501, 503])

/** Attacks the HTTP port with bytes on bare connections. */
export async function openSocketFuzz(
  storeEnv: Readonly<Record<string, string>>,
): Promise<FuzzKind<SocketInput>> {
  return new SocketFuzz(await startFuzzedService(storeEnv))
}

class SocketFuzz implements FuzzKind<SocketInput> {
  readonly name = 'sockets'
  readonly concurrency = 16
  readonly make = makeSocketInput
  readonly #service: FuzzedService
  readonly #counts = new Map<string, number>()

  constructor(service: FuzzedService) {
    this.#service = service
  }

  async attempt(input: SocketInput): Promise<string | undefined> {
    const received = await exchange(this.#service.port, input)
    if (received === undefined) return `${input.shape}: the connection stays open`
    const answers = splitAnswers(received)
    if (typeof answers === 'string') return `${input.shape}: ${answers}`
    for (const { status } of answers) this.#count(`status ${status}`)
    if (answers.length === 0) this.#count('no answer')
    if (answers.length > input.answersMax)
      return `${input.shape}: ${answers.length} answers where ${input.answersMax} are possible`
    if (input.ending === 'answered' && answers.length === 0) return `${input.shape}: no answer`
    const isPipelined = input.shape === 'pipelined requests'
    if (isPipelined && answers.length < input.answersMax)
      return `${input.shape}: ${answers.length} answers to ${input.answersMax} requests`
    return answers.map((answer) => problemWith(answer)).find((problem) => problem !== undefined)
  }

  *smaller(input: SocketInput): Iterable<SocketInput> {
    if (input.parts.length > 1) yield { ...input, parts: [input.parts.join('')] }
  }

  checkHealth(): Promise<readonly string[]> {
    return this.#service.checkHealth()
  }

  async finish(): Promise<readonly string[]> {
    return []
  }

  counts(): Record<string, number> {
    return {
      ...Object.fromEntries([...this.#counts].sort()),
      'peak MiB': Math.round(this.#service.peakRssBytes() / 1_048_576),
    }
  }

  close(): Promise<void> {
    return this.#service.close()
  }

  #count(outcome: string): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1)
  }
}

/** Everything that came back until the connection ended; undefined when it did not end. */
function exchange(port: number, { parts, ending }: SocketInput): Promise<string | undefined> {
  return new Promise((resolve) => {
    let received = ''
    // Half open, so that the client's end does not take away the answer.
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const timer = setTimeout(() => finish(undefined), OPEN_MS_MAX)
    const finish = (outcome: string | undefined) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(outcome)
    }
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
    })
    socket.on('end', () => finish(received))
    socket.on('close', () => finish(received))
    // The server may reset a connection whose bytes it does not want to read.
    socket.on('error', () => finish(received))
    socket.on('connect', () => {
      const send = (at: number) => {
        if (socket.destroyed) return
        const part = parts[at]
        if (part !== undefined) socket.write(part, 'latin1', () => setImmediate(() => send(at + 1)))
        else if (ending === 'cut') finish(received)
        else if (ending === 'ended') socket.end()
      }
      send(0)
    })
  })
}

interface SocketAnswer {
  readonly status: number
  readonly body: string
}

/** The answers in the bytes that came; a text where they are none. */
function splitAnswers(received: string): SocketAnswer[] | string {
  const answers: SocketAnswer[] = []
  for (let at = 0; at < received.length; ) {
    const headEnd = received.indexOf('\r\n\r\n', at)
    const head = received.slice(at, headEnd < 0 ? undefined : headEnd)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
    if (headEnd < 0 || !status) return `the answer is no HTTP: "${received.slice(at, at + 100)}"`
    const bodyStart = headEnd + 4
    const length = bodyLength(head, received, bodyStart)
    if (status !== 100) answers.push({ status, body: received.slice(bodyStart, bodyStart + length) })
    at = bodyStart + length
  }
  return answers
}

function bodyLength(head: string, received: string, bodyStart: number): number {
  if (!/\r\ntransfer-encoding: chunked/i.test(head))
    return Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const lastChunk = received.indexOf('0\r\n\r\n', bodyStart)
  return lastChunk < 0 ? received.length - bodyStart : lastChunk + 5 - bodyStart
}

function problemWith({ status, body }: SocketAnswer): string | undefined {
  if (status === 101) return 'the server switches protocols'
  if (status >= 500 && !ALLOWED_5XX.has(status)) return `the server answers ${status}`
  if (status >= 400 && !/\{.*"error":"/.test(body))
    return `${status} has no error object but "${body.slice(0, 200)}"`
  return undefined
}
