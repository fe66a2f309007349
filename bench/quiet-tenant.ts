import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeSpans } from '../tests/otlp/encode-traces.ts'
import { call } from '../tests/support/call.ts'

/** Response times of a quiet tenant, in milliseconds. */
export interface QuietTimes {
  /** From sending a span to its acknowledgement. */
  readonly ingest: number[]
  /** From the acknowledgement to the score. */
  readonly score: number[]
  /** One execute call in a thread. */
  readonly execute: number[]
  /** Requests that were not answered 200. */
  refused: number
}

const PAUSE_MS = 50
/** Longest wait for a score; what is not there by then counts as this. */
const SCORE_MS_MAX = 60_000

/** A tenant that sends a span now and then, waits for its score, and calls an evaluator. */
export class QuietTenant {
  readonly #url: string
  readonly #key: string

  private constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  /** With a monitor that is bound to its first span. */
  static async open(url: string, key: string): Promise<QuietTenant> {
    const body = { setups: [{ external_id: 'quiet', evaluators: ['char-count'], selector: [] }] }
    const { status, text } = await call(url, 'POST', '/v2/auto-monitor-setups/bulk', { key, body })
    if (status !== 200) throw new Error(`creating a setup was answered ${status}: ${text}`)
    const tenant = new QuietTenant(url, key)
    await tenant.#probe({ ingest: [], score: [], execute: [], refused: 0 })
    return tenant
  }

  /** Probes for that long; a probe that has begun is finished. */
  async probeFor(ms: number): Promise<QuietTimes> {
    const times: QuietTimes = { ingest: [], score: [], execute: [], refused: 0 }
    const untilMs = performance.now() + ms
    while (performance.now() < untilMs) {
      await this.#probe(times)
      await sleep(PAUSE_MS)
    }
    return times
  }

  async #probe(times: QuietTimes): Promise<void> {
    const traceId = randomBytes(16)
    const span = {
      traceId,
      spanId: randomBytes(8),
      startUnixNano: BigInt(Date.now()) * 1_000_000n,
      attributes: { 'gen_ai.system': 'openai', 'gen_ai.completion.0.content': 'hello' },
    }
    const headers = { 'content-type': 'application/x-protobuf' }
    const sentMs = performance.now()
    const sent = await call(this.#url, 'POST', '/v1/traces', {
      key: this.#key,
      headers,
      body: encodeSpans(span),
    })
    const storedMs = performance.now()
    times.ingest.push(storedMs - sentMs)
    if (sent.status === 200) {
      await this.#untilScored(traceId.toString('hex'), storedMs)
      times.score.push(performance.now() - storedMs)
    } else times.refused++
    const calledMs = performance.now()
    const body = { input: { text: '{"a": 1}' } }
    const answer = await call(this.#url, 'POST', '/v2/evaluators/json-validator/execute', {
      key: this.#key,
      body,
    })
    times.execute.push(performance.now() - calledMs)
    if (answer.status !== 200) times.refused++
  }

  async #untilScored(traceId: string, fromMs: number): Promise<void> {
    while (performance.now() - fromMs < SCORE_MS_MAX) {
      const { json } = await call(this.#url, 'GET', `/v2/evaluations?trace_id=${traceId}`, { key: this.#key })
      if (json?.evaluations?.length > 0) return
      await sleep(2 + (performance.now() - fromMs) * 0.02)
    }
  }
}
