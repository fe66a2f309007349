import { readFileSync } from 'node:fs'
import http from 'node:http'
import { createServer } from 'node:net'
import { call, FIRST_KEY } from '../support/call.ts'
import { type ServiceProcess, spawnService } from '../support/process.ts'

/** Most memory that the service may take under any of these attacks. */
const RSS_BYTES_MAX = 1_610_612_736
/** How long /healthz may take; only a process that hangs reaches it. */
const HEALTH_MS_MAX = 60_000
/** Lines of the log at these levels mean that the service met something that it did not expect. */
const LOGGED_ERROR = /"level":(50|60)\b|"level":"(error|fatal)"|unhandled|uncaught/i
const LOGGED_MESSAGE = /"msg":"((?:[^"\\]|\\.)*)"/

/** An answer in bytes, as it came. */
export interface RawAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

/** A request in bytes, as it goes out. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Buffer
}

/** A service in a process of its own that is attacked, and what can be seen of it from outside. */
export interface FuzzedService {
  readonly url: string
  readonly port: number
  readonly grpcPort: number
  /** Sends a request over a connection that is kept; undefined when the connection ended without an answer. */
  send(request: RawRequest): Promise<RawAnswer | undefined>
  /** The fault of the process: it is gone, does not answer, takes too much memory or has logged errors. */
  checkHealth(): Promise<readonly string[]>
  /** Most memory that it has taken so far, in bytes; 0 where that cannot be seen. */
  peakRssBytes(): number
  close(): Promise<void>
}

/** Starts a service with a store of its own and the first key of the tests. */
export async function startFuzzedService(env: Readonly<Record<string, string>>): Promise<FuzzedService> {
  const grpcPort = await freePort()
  const service = await spawnService({
    ASSAY_API_KEY: FIRST_KEY,
    ASSAY_LOG_LEVEL: 'error',
    ASSAY_OTLP_GRPC_PORT: String(grpcPort),
    ...env,
  })
  // A run that is interrupted leaves no process behind.
  const endWithUs = () => void service.child.kill('SIGKILL')
  process.once('exit', endWithUs)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  const { hostname, port } = new URL(service.url)
  const told = new Set<string>()
  return {
    url: service.url,
    port: Number(port),
    grpcPort,
    send: (request) => sendRequest({ agent, host: hostname, port }, request),
    checkHealth: () => checkHealth(service, told),
    peakRssBytes: () => memoryOf(service, 'VmHWM'),
    async close() {
      process.off('exit', endWithUs)
      agent.destroy()
      if (service.child.exitCode === null) await service.end('SIGTERM')
      service.abandon()
    },
  }
}

async function checkHealth(service: ServiceProcess, told: Set<string>): Promise<string[]> {
  const { exitCode, signalCode } = service.child
  if (exitCode !== null || signalCode !== null)
    return [`the process ended (${exitCode ?? signalCode}): ${service.output().slice(-2_000)}`]
  const problems: string[] = []
  const signal = AbortSignal.timeout(HEALTH_MS_MAX)
  const status = await fetch(`${service.url}/healthz`, { signal }).then(
    (answer) => answer.status,
    (error: Error) => error.message,
  )
  if (status !== 200) problems.push(`/healthz answered ${status}`)
  const rss = memoryOf(service, 'VmRSS')
  if (rss > RSS_BYTES_MAX) problems.push(`the process takes ${Math.round(rss / 1_048_576)} MiB`)
  for (const line of service.output().split('\n')) {
    if (!LOGGED_ERROR.test(line)) continue
    const message = LOGGED_MESSAGE.exec(line)?.[1] ?? line.slice(0, 200)
    if (told.has(message)) continue
    told.add(message)
    problems.push(`the service logged: ${line.slice(0, 2_000)}`)
  }
  return problems
}

function memoryOf({ child }: ServiceProcess, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}

interface Destination {
  readonly agent: http.Agent
  readonly host: string
  readonly port: string
}

function sendRequest(destination: Destination, request: RawRequest): Promise<RawAnswer | undefined> {
  return new Promise((resolve) => {
    const { method, path, body } = request
    const headers = {
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      ...request.headers,
    } as http.OutgoingHttpHeaders
    const sent = http.request({ ...destination, method, path, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      )
      answer.on('error', () => resolve(undefined))
    })
    sent.on('error', () => {
      // The server may end a kept connection at the moment it is used again; that says nothing about the request.
      if (sent.reusedSocket) void sendRequest(destination, request).then(resolve)
      else resolve(undefined)
    })
    sent.end(body)
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

/** A call whose answer is needed to go on. */
export async function callOrFail(
  url: string,
  method: string,
  path: string,
  key: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
): Promise<any> {
  const answer = await call(url, method, path, { key, ...(body === undefined ? {} : { body }) })
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return answer.json
}
