import { randomBytes, randomFillSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeSpans } from '../tests/otlp/encode-traces.ts'
import { call } from '../tests/support/call.ts'

/** Where an attack goes and how long it lasts. */
export interface Target {
  readonly url: string
  readonly key: string
  readonly round: number
  readonly signal: AbortSignal
}

/** An attack by a noisy tenant. `start` begins it and returns a function that cleans up after the signal. */
export interface Attack {
  readonly name: string
  start(target: Target): Promise<() => Promise<void>>
}

const SQL_CHARS = 100_000
const BACKLOG_REQUESTS = 40
const CALLS_AT_ONCE = 8
const CONTAINS_SETUPS = 10_000
const REQUEST_BYTES = 14_000_000

/** The four ways in which one tenant has held up others. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'sql',
    async start(target) {
      await putSetups(target, [{ external_id: 'noisy', evaluators: ['sql-validator'], selector: [] }])
      const texts = Array.from({ length: 10 }, () => '/*'.repeat(SQL_CHARS / 2))
      const ended = repeat(target, 2, sender(target, texts))
      await sleep(1_000)
      return () => clear(target, ended)
    },
  },
  {
    name: 'backlog',
    async start(target) {
      const evaluators = ['secrets-detector', 'pii-detector', 'json-validator', 'toxicity-detector']
      await putSetups(target, [{ external_id: 'noisy', evaluators, selector: [] }])
      const texts = Array.from({ length: 50 }, (_, at) => `sentence ${at} for jane@example.com `.repeat(60))
      const send = sender(target, texts)
      for (let at = 0; at < BACKLOG_REQUESTS; at++) await send()
      const ended = repeat(target, 1, send)
      return () => clear(target, ended)
    },
  },
  {
    name: 'execute',
    async start(target) {
      const body = { input: { prompt: '!'.repeat(30_000) } }
      const path = '/v2/evaluators/prompt-injection/execute'
      const ended = repeat(target, CALLS_AT_ONCE, () =>
        call(target.url, 'POST', path, { key: target.key, body }),
      )
      await sleep(1_000)
      return async () => void (await ended)
    },
  },
  {
    name: 'ingest',
    async start(target) {
      if (target.round === 0) {
        for (let from = 0; from < CONTAINS_SETUPS; from += 100)
          await putSetups(target, containsSetups(from, 100))
      }
      const text = (at: number) => `lorem ipsum needle-${at % CONTAINS_SETUPS} dolor sit amet `.repeat(250)
      const texts = Array.from({ length: Math.floor(REQUEST_BYTES / text(10).length) }, (_, at) => text(at))
      const ended = repeat(target, 2, sender(target, texts))
      await sleep(500)
      return async () => void (await ended)
    },
  },
]

function containsSetups(from: number, count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({
    external_id: `contains-${from + at}`,
    evaluators: ['char-count'],
    selector: [
      {
        key: 'gen_ai.completion.0.content',
        source: 'span_attributes',
        operator: 'contains',
        value_type: 'string',
        value: `needle-${from + at} `,
      },
    ],
  }))
}

async function putSetups({ url, key }: Target, setups: readonly object[]): Promise<void> {
  const { status, text } = await call(url, 'POST', '/v2/auto-monitor-setups/bulk', { key, body: { setups } })
  if (status !== 200) throw new Error(`creating setups was answered ${status}: ${text.slice(0, 300)}`)
}

/**
 * Sends a span for each text, under new ids every time. The request is encoded once: a tenant encodes on its own machine, and
 * here that would take the processor from the service.
 */
function sender({ url, key }: Target, texts: readonly string[]): () => Promise<void> {
  const spans = texts.map((text) => ({
    traceId: randomBytes(16),
    spanId: randomBytes(8),
    startUnixNano: BigInt(Date.now()) * 1_000_000n,
    attributes: { 'gen_ai.system': 'openai', 'gen_ai.completion.0.content': text },
  }))
  const template = encodeSpans(...spans)
  let from = 0
  const places = spans.flatMap((span) =>
    [span.traceId, span.spanId].map((id) => {
      from = template.indexOf(id, from)
      return { from, bytes: id.length }
    }),
  )
  const headers = { 'content-type': 'application/x-protobuf' }
  return async () => {
    const body = Buffer.from(template)
    for (const { from, bytes } of places) randomFillSync(body, from, bytes)
    await call(url, 'POST', '/v1/traces', { key, headers, body })
  }
}

/** Repeats an action in so many parallel loops until the attack is over; a refusal is part of the attack. */
async function repeat({ signal }: Target, atOnce: number, act: () => Promise<unknown>): Promise<void> {
  const one = async () => {
    while (!signal.aborted) {
      await act().catch(() => {})
      await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

/** Ends an attack and what it has queued. */
async function clear({ url, key }: Target, ended: Promise<void>): Promise<void> {
  await ended
  await call(url, 'DELETE', '/v2/auto-monitor-setups/noisy', { key })
}
