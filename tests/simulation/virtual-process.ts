import { processSetups } from '../../src/control/setup-processor.ts'
import type { ControlDeps } from '../../src/control/setups.ts'
import { builtInVersions } from '../../src/evaluators/catalogue.ts'
import type { StartThread } from '../../src/lib/threads/start-thread.ts'
import { JudgingPool } from '../../src/pipeline/judging/judging-pool.ts'
import { Pipeline, type PipelineLimits } from '../../src/pipeline/pipeline.ts'
import { openEvaluationThreads } from '../../src/pipeline/scoring/evaluation-threads.ts'
import { ScoringPool } from '../../src/pipeline/scoring/scoring-pool.ts'
import type { JudgeDesk } from '../../src/ports/judge.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { connectSqliteStorage } from '../../src/stores/sqlite/sqlite-storage.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import type { Place, World } from './world.ts'

/** Leases are at most this long, so that they run out within a run; the service's own take minutes. */
export const LEASE_MS_MAX = 2_000
/** How long data is kept. */
export const RETENTION_HOURS = 24
const TRACE_QUIET_MS = 200
const TRACE_WAIT_MS = 4_000

const LIMITS: PipelineLimits = {
  ingest: {
    requestsMax: 100,
    bytesMax: 10_000_000,
    projectsMax: 10,
    setupsMax: 1_000,
    heapMbMax: 512,
    callMsMax: 60_000,
  },
  intake: { messagesMax: 1, bytesMax: 1 },
  scoringThreads: 1,
  contentWaitMs: 20_000,
  retentionHoursMax: RETENTION_HOURS,
  traces: { quietMsMin: TRACE_QUIET_MS, waitMsMax: TRACE_WAIT_MS },
}

/** How the processes of a world open their store. */
export interface ProcessOptions {
  readonly openStore: (startThread: StartThread) => Promise<Storage>
  readonly startThread: (place: Place) => StartThread
  /** Several processes share a store: none of them may end the leases of all at its start. */
  readonly isShared: boolean
}

/** Opens the embedded store over threads that the world plays. */
export function openVirtualSqlite(startThread: StartThread): Promise<Storage> {
  return connectSqliteStorage(':memory:', { readerThreads: 1, startThread })
}

/** One process of the service, with its real pipeline, that can stand still and vanish. */
export class VirtualProcess implements Place {
  readonly name: string
  readonly logLines: string[] = []
  isAlive = true
  isFrozen = false
  control: ControlDeps | undefined
  pipeline: Pipeline | undefined
  /** Whether it could not even open its store; it has to be started again. */
  hasFailed = false
  readonly #world: World
  readonly #options: ProcessOptions

  constructor(name: string, world: World, options: ProcessOptions) {
    this.name = name
    this.#world = world
    this.#options = options
  }

  /** Begins to start; it is ready when `control` is there. */
  start(): Promise<void> {
    return this.#world.act(this, () => {
      this.#open().catch((error) => {
        this.logLines.push(`start failed: ${error}`)
        this.hasFailed = true
      })
    })
  }

  /** It is gone without a word, as after kill -9; what it has leased stays leased. */
  vanish(): void {
    this.isAlive = false
    this.control = undefined
    this.pipeline = undefined
  }

  async #open(): Promise<void> {
    const startThread = this.#options.startThread(this)
    const storage = this.#adapted(await this.#options.openStore(startThread))
    const logger = recordingLogger(this.logLines)
    const clock = { nowMs: () => Date.now() }
    let ids = 0
    const control: ControlDeps = { storage, clock, ids: { newId: () => `${this.name}-${++ids}` } }
    const judging = new JudgingPool(
      startThread,
      NO_JUDGES,
      { evaluationMsMax: 60_000, callsMax: 100, silentMsMax: 30_000, heapMbMax: 512 },
      logger,
    )
    const evaluatorVersions = builtInVersions()
    const pipeline = new Pipeline(
      {
        storage,
        clock,
        logger,
        startThread,
        judging,
        scoring: new ScoringPool(
          openEvaluationThreads(startThread, { threadsMax: 2, heapMbMax: 512 }, logger),
          { threadsMax: 1, unitMsMax: 10_000, waitingMax: 100 },
          logger,
        ),
        counters: NO_COUNTERS,
        ids: control.ids,
        compareUnits: async () => [],
        currentEvaluators: async () => ({ versions: evaluatorVersions }),
        processSetups: (onBound) =>
          processSetups({
            ...control,
            logger,
            evaluatorVersions,
            judgeOf: async () => undefined,
            spansMin: 1,
            contentWaitMs: 20_000,
            restMs: 0,
            onBound,
          }),
      },
      LIMITS,
    )
    pipeline.start()
    this.control = {
      ...control,
      onSetupsChanged: () => pipeline.wakeProcessing(0),
      onJobsChanged: () => pipeline.wakeJobs(),
    }
    this.pipeline = pipeline
  }

  #adapted(storage: Storage): Storage {
    const { work, units } = storage
    const short = (leaseMs: number) => Math.min(leaseMs, LEASE_MS_MAX)
    return {
      ...storage,
      work: {
        ...work,
        ...(this.#options.isShared ? { resume: work.rebind } : {}),
        claimWork: (kind, limit, leaseMs, ...rest) => work.claimWork(kind, limit, short(leaseMs), ...rest),
        claimSetups: (limit, leaseMs, before) => work.claimSetups(limit, short(leaseMs), before),
      },
      units: {
        ...units,
        claimUnits: (limit, leaseMs, ...rest) => units.claimUnits(limit, short(leaseMs), ...rest),
      },
    }
  }
}

const NO_COUNTERS = {
  ingest: { countSpans() {}, countBatch() {}, countStale() {}, countLogs() {} },
  countEvaluations() {},
  countMended() {},
  countVerified() {},
  showClock() {},
}

// No evaluator of a simulation asks a judge.
const NO_JUDGES: JudgeDesk = {
  defaultModel: async () => undefined,
  open: () => {
    throw new Error('nobody judges here')
  },
  async close() {},
}
