// The measuring of bench:scale: processes of each role over one database, and what each uses of the processors.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { FIRST_KEY } from '../tests/support/call.ts'
import { type NatsServers, startNats } from '../tests/support/nats-server.ts'
import { type PostgresServer, startPostgres } from '../tests/support/postgres-server.ts'
import { type ServiceProcess, spawnService } from '../tests/support/process.ts'
import { cpuMs, createSetups, setupsCompleted, until } from './bench-service.ts'
import { OtlpSender } from './otlp-sender.ts'
import { MATCHES_PER_WATCHED_SPAN, SpanWorkload, TEMPLATES, workloadSetups } from './span-workload.ts'

export const SPANS_PER_REQUEST = 512
/** Enough of an application's spans for each of its setups to see some. */
const SPANS_TO_BIND = 120
const root = path.dirname(import.meta.dirname)

/** The workload of a measurement. */
export interface ScalePlan {
  readonly workers: number
  readonly requests: number
  readonly inFlight: number
  readonly matches: number
  readonly rung: 'postgres' | 'cluster'
}

/** CPU time of each part in milliseconds. */
type CpuUse = Readonly<Record<string, number>>

export interface ScaleFigures {
  /** Measured while no worker evaluates. */
  readonly intake: { readonly spans: number; readonly tookMs: number; readonly cpuMs: CpuUse }
  /** Nothing comes in meanwhile. */
  readonly drain: { readonly scores: number; readonly tookMs: number; readonly cpuMs: CpuUse }
  readonly together: {
    readonly spans: number
    readonly scores: number
    /** Until the last request was answered. */
    readonly tookMs: number
    /** Until the last score. */
    readonly wholeMs: number
    readonly cpuMs: CpuUse
  }
}

export async function measureScale(plan: ScalePlan): Promise<ScaleFigures> {
  const bench = await ScaleBench.open(plan)
  try {
    return await bench.measure()
  } finally {
    await bench.close()
  }
}

class ScaleBench {
  readonly #plan: ScalePlan
  readonly #directory: string
  readonly #postgres: PostgresServer
  readonly #nats: NatsServers | undefined
  readonly #database: pg.Client
  #ingest: ServiceProcess | undefined
  #api: ServiceProcess | undefined
  #workers: ServiceProcess[] = []

  private constructor(
    plan: ScalePlan,
    directory: string,
    postgres: PostgresServer,
    nats: NatsServers | undefined,
  ) {
    this.#plan = plan
    this.#directory = directory
    this.#postgres = postgres
    this.#nats = nats
    this.#database = new pg.Client({ connectionString: postgres.url })
  }

  static async open(plan: ScalePlan): Promise<ScaleBench> {
    const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-scale-'))
    const postgres = await startPostgres({
      isDurable: true,
      settings: { shared_buffers: '512MB', max_wal_size: '4GB' },
    })
    const nats = plan.rung === 'cluster' ? await startNats(3) : undefined
    return new ScaleBench(plan, directory, postgres, nats)
  }

  async measure(): Promise<ScaleFigures> {
    this.#api = await this.#start('api')
    await this.#database.connect()
    const ingest = await this.#start('ingest')
    this.#ingest = ingest
    const sender = new OtlpSender(ingest.url, FIRST_KEY, this.#plan.inFlight)
    await this.#startWorkers()
    await this.#bindSetups(sender)
    await this.#stopWorkers()

    const { requests, inFlight } = this.#plan
    const spans = requests * SPANS_PER_REQUEST
    const workload = this.#workload(SPANS_PER_REQUEST)
    const bodies = () => Array.from({ length: requests }, () => workload.nextRequest(Date.now()).body)

    const first = bodies()
    const intake = await this.#timed(async () => {
      await sender.sendAll(first, inFlight)
    })
    const scoresBefore = await this.#scores()
    const drain = await this.#timed(async () => {
      await this.#startWorkers()
      await this.#allDone(spans)
    })
    const scores = (await this.#scores()) - scoresBefore

    const second = bodies()
    let tookMs = 0
    const together = await this.#timed(async () => {
      const startMs = performance.now()
      await sender.sendAll(second, inFlight)
      tookMs = performance.now() - startMs
      await this.#allDone(2 * spans)
    })
    const scoresTogether = (await this.#scores()) - scoresBefore - scores
    sender.close()
    return {
      intake: { spans, tookMs: intake.wholeMs, cpuMs: intake.cpuMs },
      drain: { scores, tookMs: drain.wholeMs, cpuMs: drain.cpuMs },
      together: { spans, scores: scoresTogether, tookMs, ...together },
    }
  }

  async close(): Promise<void> {
    await this.#stopWorkers()
    for (const service of [this.#ingest, this.#api]) await service?.end('SIGTERM')
    await this.#database.end()
    await this.#nats?.stop()
    await this.#postgres.stop()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #workload(spansPerRequest: number): SpanWorkload {
    const watchedShare = this.#plan.matches / MATCHES_PER_WATCHED_SPAN
    return new SpanWorkload({ spansPerRequest, watchedShare, isCollector: false })
  }

  async #bindSetups(sender: OtlpSender): Promise<void> {
    const url = this.#api?.url ?? ''
    await createSetups(url, workloadSetups())
    const workload = this.#workload(SPANS_TO_BIND)
    const bodies = Array.from({ length: TEMPLATES }, () => workload.nextRequest(Date.now()).body)
    await sender.sendAll(bodies, this.#plan.inFlight)
    await setupsCompleted(url)
    await this.#allDone(0)
  }

  #start(role: string): Promise<ServiceProcess> {
    const env = {
      ASSAY_DATABASE_URL: this.#postgres.url,
      ASSAY_API_KEY: FIRST_KEY,
      ASSAY_DATA_DIR: this.#directory,
      ASSAY_ROLE: role,
      NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/assay-compile'),
      ...(this.#nats ? { ASSAY_NATS_URL: this.#nats.urls.join(',') } : {}),
    }
    return spawnService(env)
  }

  async #startWorkers(): Promise<void> {
    this.#workers = await Promise.all(Array.from({ length: this.#plan.workers }, () => this.#start('worker')))
  }

  async #stopWorkers(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.end('SIGTERM')))
  }

  /** Waits until so many spans of full requests are stored, and everything that is stored is evaluated. */
  async #allDone(spans: number): Promise<void> {
    await until('everything is evaluated', async () => {
      const { rows } = await this.#database.query(
        `SELECT (SELECT coalesce(sum(span_count), 0) FROM span_batches WHERE span_count = $1) AS spans,
           EXISTS (SELECT 1 FROM work WHERE state < 2) AS is_open`,
        [SPANS_PER_REQUEST],
      )
      return Number(rows[0].spans) >= spans && !rows[0].is_open
    })
  }

  async #scores(): Promise<number> {
    const { rows } = await this.#database.query('SELECT count(*) AS count FROM evaluations')
    return Number(rows[0].count)
  }

  async #timed(work: () => Promise<void>): Promise<{ wholeMs: number; cpuMs: CpuUse }> {
    const before = this.#cpu()
    const startMs = performance.now()
    await work()
    const wholeMs = performance.now() - startMs
    const after = this.#cpu()
    const used = Object.entries(after).map(([part, ms]) => [part, Math.max(0, ms - (before[part] ?? 0))])
    return { wholeMs, cpuMs: Object.fromEntries(used) }
  }

  /** Connections of PostgreSQL that have ended meanwhile are counted with their parent. */
  #cpu(): Record<string, number> {
    const of = (...pids: (number | undefined)[]) =>
      pids.reduce<number>((sum, pid) => sum + (cpuMs(pid ?? 0) ?? 0), 0)
    const server = this.#postgres.pid
    return {
      ingest: of(this.#ingest?.child.pid),
      workers: of(...this.#workers.map(({ child }) => child.pid)),
      postgres: of(server, ...childrenOf(server)) + reapedMs(server),
      ...(this.#nats ? { nats: of(...this.#nats.pids()) } : {}),
    }
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => statFields(candidate)[1] === String(pid))
}

/** CPU time of children that have ended. */
function reapedMs(pid: number): number {
  const fields = statFields(pid)
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * 10
}

/** The fields of a process behind its name: state, parent and so on. */
function statFields(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return []
  }
}
