import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../support/call.ts'
import { eventually, idsOf } from '../support/spans.ts'
import {
  audit,
  EVALUATORS,
  monitorEverything,
  newSpan,
  type SentSpan,
  type SpanFindings,
  sendRequest,
} from './crash-clients.ts'
import { type Part, type Replicas, startReplicas } from './replicas.ts'

/** The effects of a series of crashes among several processes on spans and their scores. */
export interface ReplicaCrashReport extends SpanFindings {
  readonly rounds: number
  /** How often each part was killed. */
  readonly killed: Readonly<Record<string, number>>
  /** Requests that were refused or got no answer and were sent again. */
  readonly sentAgain: number
  /** Messages that the stream still held when everything had had the time to come out of it. */
  readonly leftInStream: number
  /** From the moment of a crash until a span that was sent after it was scored: in the middle, and the longest. */
  readonly recoveryMs: { readonly median: number; readonly longest: number }
}

const WRITERS = 4
const SPANS_PER_REQUEST = 20
/**
 * Between two requests of one writer, so that two workers on a small machine keep up. A stream takes in faster than a database
 * stores, so it does not slow the writers down.
 */
const WRITER_PAUSE_MS = { database: 40, stream: 150 }
const ROUND_MS_MAX = 300
/** A round on a slow machine lasts until so many more spans were taken. */
const ROUND_SPANS_MIN = 2 * SPANS_PER_REQUEST
/** How long a killed process stays away. */
const AWAY_MS_MAX = 300
const RETRY_PAUSE_MS = 50
/** Writers rest when the score of a probe takes longer: on a slow machine they would stay ahead of the workers for good. */
const PROBE_MS_MAX = 10_000
/** Longer than it takes to find messages that the servers forgot; several times what one needs whose worker died. */
const FORGOTTEN_MS_MAX = 60_000
const STREAM_MS_MAX = 300_000

/**
 * Kills a part at a random moment while clients send spans and workers score them, again and again on the same store: a worker, a
 * process that takes spans in, the one that serves the rest, PostgreSQL, and in a cluster a node of NATS. Clients send
 * what was not acknowledged again, to whichever process answers, as exporters behind a balancer do.
 */
export async function runReplicaCrashRounds(
  rung: 'postgres' | 'cluster',
  rounds: number,
  say: (line: string) => void = () => {},
): Promise<ReplicaCrashReport> {
  const replicas = await startReplicas(rung)
  const acknowledged = new Map<string, SentSpan>()
  const { api, ingest } = replicas
  let writers: Writers | undefined
  try {
    await monitorEverything(api.url, (ingest[0] ?? api).url, EVALUATORS, acknowledged)
    writers = new Writers(replicas, acknowledged)
    return await crashThem(replicas, writers, acknowledged, rounds, say)
  } finally {
    writers?.abandon()
    await replicas.close()
  }
}

async function crashThem(
  replicas: Replicas,
  writers: Writers,
  acknowledged: Map<string, SentSpan>,
  rounds: number,
  say: (line: string) => void,
): Promise<ReplicaCrashReport> {
  const { ingest, workers, api, others } = replicas
  const [first = api] = ingest
  // One of each kind first, so that a short run meets every kind.
  const [worker, ...moreWorkers] = workers
  const [taker, ...moreTakers] = ingest
  const parts = [worker, taker, ...others, api, ...moreWorkers, ...moreTakers].filter(
    (part) => part !== undefined,
  )
  const killed: Record<string, number> = {}
  const recoveries: number[] = []
  for (let round = 0; round < rounds; round++) {
    const before = acknowledged.size
    await sleep(Math.random() * ROUND_MS_MAX)
    await eventually(async () => acknowledged.size >= before + ROUND_SPANS_MIN, 'spans are acknowledged')
    // Each in its turn, so that a short run has met every one.
    const victim = parts[round % parts.length] as Part
    killed[victim.name] = (killed[victim.name] ?? 0) + 1
    const killedAt = performance.now()
    say(`${round + 1} of ${rounds}: ${victim.name}`)
    await victim.kill()
    await sleep(Math.random() * AWAY_MS_MAX)
    await victim.revive()
    const revivedMs = performance.now() - killedAt
    await writers.probe()
    recoveries.push(performance.now() - killedAt)
    say(
      ` was back after ${Math.round(revivedMs)} ms, scores after ${Math.round(recoveries.at(-1) ?? 0)} ms\n`,
    )
  }
  const sentAgain = await writers.stop()
  const left = replicas.hasStream ? await leftInStream(first.url, replicas) : 0
  const findings = await audit(api.url, EVALUATORS, acknowledged)
  recoveries.sort((a, b) => a - b)
  const recoveryMs = {
    median: Math.round(recoveries[recoveries.length >> 1] ?? 0),
    longest: Math.round(recoveries.at(-1) ?? 0),
  }
  return { rounds, killed, sentAgain, leftInStream: left, recoveryMs, ...findings }
}

/** Clients that send spans until they are stopped. */
class Writers {
  readonly #replicas: Replicas
  readonly #acknowledged: Map<string, SentSpan>
  readonly #running: Promise<void>[]
  #isStopped = false
  #isAbandoned = false
  #isResting = false
  #sentAgain = 0

  constructor(replicas: Replicas, acknowledged: Map<string, SentSpan>) {
    this.#replicas = replicas
    this.#acknowledged = acknowledged
    this.#running = Array.from({ length: WRITERS }, () => this.#write())
  }

  /** Sends one span and waits until it is scored by every monitor. */
  async probe(): Promise<void> {
    const { api } = this.#replicas
    const span = newSpan()
    await this.#sendUntilTaken([span])
    const rest = setTimeout(() => (this.#isResting = true), PROBE_MS_MAX)
    await eventually(
      async () => (await scoresOf(api.url, span).catch(() => 0)) === EVALUATORS.length,
      'a span that was sent after the crash is scored',
    )
    clearTimeout(rest)
    this.#isResting = false
  }

  /** How many requests had to be sent again. */
  async stop(): Promise<number> {
    this.#isStopped = true
    await Promise.all(this.#running)
    return this.#sentAgain
  }

  /** Ends them whether their requests were taken or not: after a failure no process answers any more. */
  abandon(): void {
    this.#isStopped = true
    this.#isAbandoned = true
  }

  async #write(): Promise<void> {
    let previous: SentSpan[] = []
    while (!this.#isStopped) {
      const isRepeat = previous.length > 0 && Math.random() < 0.1
      const request = isRepeat ? previous : Array.from({ length: SPANS_PER_REQUEST }, newSpan)
      await this.#sendUntilTaken(request)
      previous = request
      do await sleep(this.#replicas.hasStream ? WRITER_PAUSE_MS.stream : WRITER_PAUSE_MS.database)
      while (this.#isResting && !this.#isStopped)
    }
  }

  async #sendUntilTaken(request: readonly SentSpan[]): Promise<void> {
    const { ingest } = this.#replicas
    for (let at = Math.floor(Math.random() * ingest.length); ; at++) {
      const target = ingest[at % ingest.length]
      try {
        return await sendRequest(target?.url ?? '', request, this.#acknowledged)
      } catch {
        if (this.#isAbandoned) return
        this.#sentAgain++
        await sleep(RETRY_PAUSE_MS)
      }
    }
  }
}

/**
 * The messages that a killed process had in hand come out of the stream once more after a while, and are not lost before that.
 * Tells what the stream still holds in the end: whether that was stored or not, the audit finds out.
 */
async function leftInStream(url: string, { openMessages }: Replicas): Promise<number> {
  const beganMs = performance.now()
  for (;;) {
    const { text } = await call(url, 'GET', '/metrics')
    const messages = Number(/^assay_stream_lag_messages (\S+)$/m.exec(text)?.[1])
    if (messages === 0) return 0
    const waitedMs = performance.now() - beganMs
    // A server of 2.9 that was killed may keep messages that all others have removed; its consumer hands out none of them.
    if (waitedMs > FORGOTTEN_MS_MAX && (await openMessages()) === 0) return 0
    if (waitedMs > STREAM_MS_MAX) return messages
    await sleep(RETRY_PAUSE_MS)
  }
}

async function scoresOf(apiUrl: string, { name }: SentSpan): Promise<number> {
  const { json } = await call(apiUrl, 'GET', `/v2/evaluations?trace_id=${idsOf(name).trace_id}`)
  return json.evaluations.length
}
