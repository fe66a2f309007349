import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { fakeAnthropicProtocol } from './fake-anthropic-protocol.ts'
import { fakeBedrockProtocol } from './fake-bedrock-protocol.ts'
import { fakeGoogleProtocol } from './fake-google-protocol.ts'
import { fakeOpenAiProtocol } from './fake-openai-protocol.ts'
import { composeOutcome } from './fake-outcome.ts'
import type { FakeProtocol, FakeRequest } from './fake-protocol.ts'
import { type Channel, type FakeReply, fakeScriptSchema } from './fake-reply.ts'

const PROTOCOLS: readonly FakeProtocol[] = [
  fakeOpenAiProtocol,
  fakeAnthropicProtocol,
  fakeGoogleProtocol,
  fakeBedrockProtocol,
]

/** Longest body that is read, in bytes. */
const BODY_BYTES_MAX = 64 * 1024 * 1024

/** How many requests are remembered; older ones are forgotten. */
const REQUESTS_MAX = 10_000

/** How a fake model is started. */
export interface FakeModelOptions {
  /** Default: any free one. */
  readonly port?: number
  /** Answers a request when the script has nothing left; undefined: the schema is filled in. */
  readonly answer?: (request: FakeRequest) => FakeReply | undefined | Promise<FakeReply | undefined>
  /** Channels that are turned away from the beginning. */
  readonly unsupported?: readonly Channel[]
}

/** A server on the loopback address that speaks the providers' protocols and does what it is told. */
export interface FakeModel {
  /** `http://127.0.0.1:PORT`, which serves as base URL of every provider. */
  readonly url: string
  /** The requests so far, the oldest first. */
  readonly requests: readonly FakeRequest[]
  /** Adds replies to the queue. */
  script(...replies: FakeReply[]): void
  /** Ends the server and every connection. */
  close(): Promise<void>
}

interface State {
  readonly requests: FakeRequest[]
  readonly queue: FakeReply[]
  unsupported: readonly string[]
  refusedParameters: readonly string[]
  readonly answer: NonNullable<FakeModelOptions['answer']>
}

/**
 * Starts a fake model. Requests are answered by the script while it has replies, then by `answer`, then rightly. It can also be
 * told over HTTP: `POST /script` adds replies, `DELETE /script` forgets replies and requests, `GET /requests` shows what came.
 */
export async function startFakeModel(options: FakeModelOptions = {}): Promise<FakeModel> {
  const state: State = {
    requests: [],
    queue: [],
    unsupported: options.unsupported ?? [],
    refusedParameters: [],
    answer: options.answer ?? (() => undefined),
  }
  const server = http.createServer((request, response) => {
    serve(state, request)
      .catch((error: unknown) => json(500, { error: { message: String(error) } }))
      .then((sending) => send(response, sending))
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: state.requests,
    script: (...replies) => void state.queue.push(...replies),
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function serve(state: State, request: http.IncomingMessage): Promise<Sending> {
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  const body = await readBody(request)
  if (path === '/requests' && request.method === 'GET') return json(200, state.requests)
  if (path === '/script') return serveScript(state, request.method, body)
  for (const protocol of PROTOCOLS) {
    const model = request.method === 'POST' ? protocol.match(path) : undefined
    if (model !== undefined)
      return serveModel(state, protocol, { path, model, body, headers: request.headers })
  }
  return json(404, { error: { message: `${request.method} ${path} is not spoken here` } })
}

function serveScript(state: State, method: string | undefined, body: string): Sending {
  if (method === 'DELETE') {
    state.queue.length = 0
    state.requests.length = 0
    state.unsupported = []
    state.refusedParameters = []
    return json(200, { queued: 0 })
  }
  if (method !== 'POST') return json(405, { error: { message: 'POST or DELETE' } })
  const script = fakeScriptSchema.safeParse(jsonOf(body))
  if (!script.success) return json(400, { error: { message: z.prettifyError(script.error) } })
  state.queue.push(...script.data)
  return json(200, { queued: state.queue.length })
}

interface Exchange {
  readonly path: string
  /** Empty: the body names it. */
  readonly model: string
  readonly body: string
  readonly headers: http.IncomingHttpHeaders
}

async function serveModel(state: State, protocol: FakeProtocol, exchange: Exchange): Promise<Sending> {
  const body = jsonOf(exchange.body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return json(400, protocol.error(400, 'the body is not a JSON object'))
  }
  const asked = readRequest(protocol, exchange, body as Record<string, unknown>)
  state.requests.push(asked)
  if (state.requests.length > REQUESTS_MAX) state.requests.shift()

  applyChanges(state)
  const { channel } = asked
  const lacksChannel = channel !== undefined && state.unsupported.includes(channel)
  const fault = lacksChannel ? protocol.complaint(channel) : parameterFault(state, asked)
  if (fault !== undefined) return json(400, protocol.error(400, fault.message, fault.parameter))
  const reply = takeReply(state) ?? (await state.answer(asked)) ?? {}
  if (reply.delayMs !== undefined) await setTimeout(reply.delayMs, undefined, { ref: false })
  return sendingOf(protocol, asked, reply)
}

function readRequest(
  protocol: FakeProtocol,
  { path, model, headers }: Exchange,
  body: Record<string, unknown>,
): FakeRequest {
  return {
    protocol: protocol.name,
    path,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body,
    model: model || String(body['model'] ?? ''),
    ...protocol.read(body),
  }
}

/** Replies at the head of the queue that answer nothing but change the server take effect. */
function applyChanges(state: State): void {
  for (let head = state.queue[0]; head !== undefined; head = state.queue[0]) {
    const { unsupported, refuseParameters } = head
    if (unsupported === undefined && refuseParameters === undefined) return
    state.unsupported = unsupported ?? state.unsupported
    state.refusedParameters = refuseParameters ?? state.refusedParameters
    state.queue.shift()
  }
}

function takeReply({ queue }: State): FakeReply | undefined {
  const reply = queue.shift()
  const times = reply?.times ?? 1
  if (reply !== undefined && times > 1) queue.unshift({ ...reply, times: times - 1 })
  return reply
}

function parameterFault({ refusedParameters }: State, { body }: FakeRequest) {
  const given = { ...body, ...(body['generationConfig'] as object), ...(body['inferenceConfig'] as object) }
  const parameter = refusedParameters.find((name) => Object.hasOwn(given, name))
  if (parameter === undefined) return undefined
  return { message: `Unsupported parameter: '${parameter}' is not supported with this model.`, parameter }
}

/** The answer on the wire, or that there is none. */
type Sending =
  | { readonly status: number; readonly text: string; readonly headers: Readonly<Record<string, string>> }
  | 'hang'
  | 'disconnect'

function sendingOf(protocol: FakeProtocol, asked: FakeRequest, reply: FakeReply): Sending {
  if (reply.hang) return 'hang'
  if (reply.disconnect) return 'disconnect'
  const { status = 200, body } = reply
  const headers = {
    ...(reply.retryAfter === undefined ? {} : { 'retry-after': String(reply.retryAfter) }),
    ...reply.headers,
  }
  if (reply.html) {
    const text = '<!doctype html><title>502</title><h1>Bad gateway</h1>'
    return { status, text, headers: { 'content-type': 'text/html', ...headers } }
  }
  if (body !== undefined) return { status, text: body, headers }
  if (status !== 200) {
    return json(status, protocol.error(status, `the fake judge was told to answer ${status}`), headers)
  }
  return json(200, protocol.answer(composeOutcome(asked, reply), asked.model), headers)
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Sending {
  return { status, text: JSON.stringify(value), headers }
}

function send(response: http.ServerResponse, sending: Sending): void {
  if (sending === 'hang') return
  if (sending === 'disconnect') {
    response.destroy()
    return
  }
  response.writeHead(sending.status, { 'content-type': 'application/json', ...sending.headers })
  response.end(sending.text)
}

async function readBody(request: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > BODY_BYTES_MAX) throw new Error(`a body may have at most ${BODY_BYTES_MAX} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
