import { randomBytes } from 'node:crypto'

/** A trace that was sent, and how many spans it has. */
export interface SentTrace {
  readonly traceId: string
  readonly spanIds: readonly string[]
  /** When its spans began. It stays the same when they are sent again, as exporters do: a span is known by its start too. */
  readonly startUnixNano: string
  /** Makes the answer in each span as long as this, of letters that do not compress. */
  readonly textBytes?: number
}

/** Counts of acknowledged spans and their fate. */
export interface Findings {
  /** Spans whose request was answered 200. */
  readonly acknowledged: number
  /** Acknowledged spans that have no score. */
  readonly lost: number
  /** Scores beyond one per span. */
  readonly doubled: number
  /** Acknowledged traces that cannot be found, or not with all of their spans. */
  readonly invisible: number
}

const SPANS_PER_TRACE = 10
const REQUEST_MS_MAX = 60_000
/** How long nothing may move before what is missing counts as missing; a busy machine takes long to start a thread. */
const STILL_MS_MAX = 300_000
const LOOK_MS = 100
const PAGE = 200

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

/** A client of a service under trial: sends traces, remembers which were acknowledged, and looks for them afterwards. */
export class TrialClient {
  readonly #key: string
  readonly acknowledged: SentTrace[] = []
  /** Traces whose request was not answered; they are sent again, as exporters do. */
  readonly unanswered: SentTrace[] = []
  url = ''

  constructor(key: string) {
    this.#key = key
  }

  /** Makes the setup that scores every span. */
  async createSetup(): Promise<void> {
    const setup = { external_id: 'crashtest', evaluators: ['char-count'] }
    const { status, text } = await this.call('POST', '/v2/auto-monitor-setups', setup)
    if (status !== 201) throw new Error(`the setup was refused with ${status}: ${text}`)
  }

  /** Sends a new trace, or one that was not answered; false when the service did not acknowledge it. */
  async send(textBytes = 0): Promise<boolean> {
    const trace = this.unanswered.pop() ?? newTrace(textBytes)
    try {
      const { status } = await this.call('POST', '/v1/traces', otlpOf(trace))
      if (status === 200) this.acknowledged.push(trace)
      else this.unanswered.push(trace)
      return status === 200
    } catch {
      this.unanswered.push(trace)
      return false
    }
  }

  /** Sends one trace after the other until the signal aborts or the service no longer answers. */
  async sendUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.send()));
  }

  /** Waits until everything acknowledged is scored and visible, for as long as there is progress, and counts. */
  async audit(): Promise<Findings> {
    let best = Number.POSITIVE_INFINITY
    let movedMs = performance.now()
    for (;;) {
      const findings = await this.#look()
      const missing = findings.lost + findings.invisible
      if (missing === 0) return findings
      if (missing < best) {
        best = missing
        movedMs = performance.now()
      }
      if (performance.now() - movedMs > STILL_MS_MAX) return findings
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  async call(method: string, path: string, body?: object) {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    })
    return { status: response.status, text: await response.text() }
  }

  async #look(): Promise<Findings> {
    const scores = await this.#count('/v2/evaluations', 'evaluations', ({ span_id: id }) => [id, 1])
    const traces = await this.#count('/v2/traces', 'traces', ({ trace_id: id, span_count: count }) => [
      id,
      count,
    ])
    const findings = { acknowledged: 0, lost: 0, doubled: 0, invisible: 0 }
    for (const { traceId, spanIds } of this.acknowledged) {
      findings.acknowledged += spanIds.length
      if (traces.get(traceId) !== spanIds.length) findings.invisible += spanIds.length
      for (const spanId of spanIds) {
        const count = scores.get(spanId) ?? 0
        if (count === 0) findings.lost++
        else findings.doubled += count - 1
      }
    }
    return findings
  }

  /** Adds up over all pages of a list. */
  async #count(
    path: string,
    name: string,
    read: (row: Json) => [string, number],
  ): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    for (let cursor = ''; ; ) {
      const { status, text } = await this.call('GET', `${path}?limit=${PAGE}${cursor}`)
      if (status !== 200) throw new Error(`GET ${path} was answered with ${status}: ${text}`)
      const page: Json = JSON.parse(text)
      for (const row of page[name]) {
        const [key, count] = read(row)
        counts.set(key, (counts.get(key) ?? 0) + count)
      }
      if (!page.next_cursor) return counts
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
    }
  }
}

function newTrace(textBytes: number): SentTrace {
  const spanIds = Array.from({ length: SPANS_PER_TRACE }, () => randomBytes(8).toString('hex'))
  const startUnixNano = String(BigInt(Date.now()) * 1_000_000n)
  return { traceId: randomBytes(16).toString('hex'), spanIds, startUnixNano, textBytes }
}

function otlpOf({ traceId, spanIds, startUnixNano, textBytes = 0 }: SentTrace): object {
  const spans = spanIds.map((spanId) => ({
    traceId,
    spanId,
    name: 'chat',
    kind: 3,
    startTimeUnixNano: startUnixNano,
    endTimeUnixNano: startUnixNano,
    attributes: Object.entries({
      'gen_ai.system': 'crashtest',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': `${spanId} ${randomBytes(textBytes).toString('base64')}`,
    }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  }))
  const attributes = [{ key: 'service.name', value: { stringValue: 'crashtest' } }]
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] }
}
