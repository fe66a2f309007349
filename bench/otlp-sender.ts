import http from 'node:http'

/** Sends OTLP requests over kept connections, so that none of the time goes into making them. */
export class OtlpSender {
  readonly #url: URL
  readonly #key: string
  readonly #agent: http.Agent

  constructor(baseUrl: string, key: string, connectionsMax: number) {
    this.#url = new URL('/v1/traces', baseUrl)
    this.#key = key
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connectionsMax })
  }

  /** Resolves when every span of the request was acknowledged; anything else is an error. */
  send(body: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${this.#key}`,
        'content-type': 'application/x-protobuf',
        'content-length': body.length,
      }
      const request = http.request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const answer = Buffer.concat(chunks)
          // An empty message: nothing was rejected.
          if (response.statusCode === 200 && answer.length === 0) resolve()
          else reject(new Error(`POST /v1/traces was answered ${response.statusCode}: ${answer}`))
        })
      })
      request.on('error', reject)
      request.end(body)
    })
  }

  /** Sends everything with at most so many requests under way; milliseconds of each from its sending to its answer. */
  async sendAll(bodies: readonly Buffer[], inFlight: number): Promise<number[]> {
    const tookMs: number[] = []
    let next = 0
    const work = async () => {
      for (let body = bodies[next++]; body; body = bodies[next++]) {
        const startMs = performance.now()
        await this.send(body)
        tookMs.push(performance.now() - startMs)
      }
    }
    await Promise.all(Array.from({ length: inFlight }, work))
    return tookMs
  }

  close(): void {
    this.#agent.destroy()
  }
}
