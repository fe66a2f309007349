// The OpenTelemetry Collector between an application and the service. The application sends more spans than the service takes at
// once, so that the exporter has to wait and to try again; the program ends when all of them have arrived.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { apiKey, exchanges, otlpUrl } from './rehearsal.mjs'

const PLUMBING_COUNT = 12
const [collector] = process.argv.slice(2)
const authorization = `Bearer ${apiKey}`
const isGrpc = process.env['PROTOCOL'] === 'grpc'

const port = await freePort()
const exporter = {
  ...(isGrpc
    ? { endpoint: process.env['OTLP_GRPC_URL'], tls: { insecure: true } }
    : { endpoint: otlpUrl, compression: 'gzip' }),
  headers: { authorization },
  sending_queue: { num_consumers: 1 },
  retry_on_failure: { initial_interval: '100ms', max_interval: '1s' },
}
const name = isGrpc ? 'otlp' : 'otlphttp'
const config = {
  receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
  exporters: { [name]: exporter },
  service: {
    pipelines: { traces: { receivers: ['otlp'], exporters: [name] } },
    telemetry: { metrics: { level: 'none' } },
  },
}
const child = spawn(collector, [], {
  env: { ...process.env, COLLECTOR_CONFIG: JSON.stringify(config) },
  stdio: 'inherit',
})
const ended = once(child, 'exit')

const message = (role, content) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
const chat = ({ prompt, completion }) => ({
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.input.messages': message('user', prompt),
  'gen_ai.output.messages': message('assistant', completion),
})
const chats = exchanges.map((exchange, at) => span(at, 'chat gpt-4o', chat(exchange)))
const plumbing = Array.from({ length: PLUMBING_COUNT }, (_, at) =>
  span(chats.length + at, 'GET', { 'http.request.method': 'GET' }),
)
const last = span(chats.length + PLUMBING_COUNT, 'POST', { 'http.request.method': 'POST' })
await send([...chats, ...plumbing])
await send([last])
while ((await storedCount()) < chats.length + PLUMBING_COUNT + 1) await setTimeout(100)
child.kill('SIGTERM')
const [code] = await ended
process.exitCode = code ?? 1

function span(at, name, attributes) {
  const startUnixNano = BigInt(Date.now() + at) * 1_000_000n
  return {
    traceId: String(at + 1).padStart(32, '0'),
    spanId: String(at + 1).padStart(16, '0'),
    name,
    kind: 3,
    startTimeUnixNano: String(startUnixNano),
    endTimeUnixNano: String(startUnixNano + 1_000_000n),
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  }
}

/** Sends spans to the collector, as soon as it listens. */
async function send(spans) {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'matrix' } }] }
  const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }).catch(() => undefined)
    if (answer?.ok) return
    if (child.exitCode !== null) throw new Error('the collector has ended')
    await setTimeout(50)
  }
}

async function storedCount() {
  const url = `${process.env['SERVICE_URL']}/v2/warehouse/spans?from_timestamp_sec=0&limit=1000`
  const answer = await fetch(url, { headers: { authorization } })
  return (await answer.json()).spans.data.length
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: free } = server.address()
  server.close()
  return free
}
