import http from 'node:http'

/** When a span's scores could be read, and how exactly that is known. */
export interface ProbeResult {
  /** From the acknowledgement to the answer that held all scores. */
  readonly readableMs: number
  /** From the answer before, which did not yet hold them all, to that one: the true moment lies in between. */
  readonly uncertaintyMs: number
}

/**
 * Pause between two questions; they and their answers take about as long again. A score that has been awaited for long
 * is asked about less often: where scores are late, thousands of questions a second would keep them from ever coming.
 */
const PAUSE_MS_MIN = 1
const PAUSE_SHARE = 0.02
const WAIT_MS_MAX = 600_000

/** Asks GET /v2/evaluations for the scores of one trace, over and over, until they are there. */
export class ScoreProbe {
  readonly #url: string
  readonly #key: string
  readonly #agent = new http.Agent({ keepAlive: true })

  constructor(baseUrl: string, key: string) {
    this.#url = `${baseUrl}/v2/evaluations`
    this.#key = key
  }

  /** `acknowledgedMs` is on the clock of performance.now(). */
  async waitFor(traceId: string, scores: number, acknowledgedMs: number): Promise<ProbeResult> {
    let askedBeforeMs = acknowledgedMs
    for (;;) {
      const { evaluations } = await this.#ask(traceId)
      const nowMs = performance.now()
      if (evaluations.length === scores) {
        const odd = evaluations.find(({ status }) => status !== 'scored')
        if (odd) throw new Error(`trace ${traceId} has an evaluation that is ${odd.status}`)
        return { readableMs: nowMs - acknowledgedMs, uncertaintyMs: nowMs - askedBeforeMs }
      }
      const waitedMs = nowMs - acknowledgedMs
      if (waitedMs > WAIT_MS_MAX)
        throw new Error(`trace ${traceId} has ${evaluations.length} of ${scores} scores after ten minutes`)
      askedBeforeMs = nowMs
      const pauseMs = Math.max(PAUSE_MS_MIN, waitedMs * PAUSE_SHARE)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #ask(traceId: string): Promise<{ evaluations: { status: string }[] }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.#key}` }
      const url = `${this.#url}?trace_id=${traceId}`
      const request = http.get(url, { agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode === 200) resolve(JSON.parse(text))
          else reject(new Error(`GET /v2/evaluations was answered ${response.statusCode}: ${text}`))
        })
      })
      request.on('error', reject)
    })
  }
}
