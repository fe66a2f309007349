import { parseModelName } from '../../domain/judgement.ts'
import type { MonitorVersion } from '../../domain/monitor.ts'
import { releaseBytes } from '../../lib/release-bytes.ts'
import type { Logger } from '../../ports/logger.ts'
import type { StoredBatch } from '../../ports/span-storage.ts'
import type { Storage } from '../../ports/storage.ts'
import type { ClaimedWork, MonitorOwner } from '../../ports/work-storage.ts'
import { awaitingUnits, contentRetryMs, spansOf, withContent } from '../scoring/content-wait.ts'
import { TaskLoop } from '../task-loop.ts'
import { DeadlineCounts } from './deadline-counts.ts'
import type { EvaluatorSource } from './judging-message.ts'
import { type JudgeChoice, type JudgingPool, JudgingThreadLost } from './judging-pool.ts'
import { JudgingRun } from './judging-run.ts'

/** Work is held for this long and held on to as long as parts of it are recorded. */
export const LEASE_MS = 300_000
/** When judged work is tried again whose outcomes could not be recorded. */
const RETRY_MS = 1_000
/** How often it looks for work without a hint, and for work that was put off. */
const LOOK_MS = 1_000
/** Batches that are judged at the same time. */
const BATCHES_MAX = 4
/** Units of one batch that are judged at the same time. */
const UNITS_AT_ONCE = 8
/** After so many lost threads the units of a batch are judged one by one, which shows which of them is to blame. */
const LOSSES_MAX = 2
/** Batches with lost threads that are remembered. */
const LOSSES_KEPT_MAX = 1_000

/** The dependencies of the worker. */
export interface JudgingWorkerOptions {
  readonly storage: Storage
  readonly pool: JudgingPool
  readonly logger: Logger
  /** How long a span waits for content that comes as log events. */
  readonly contentWaitMs: number
  readonly nowMs: () => number
  /** Called when evaluations were recorded, with their number. */
  readonly onRecorded?: (count: number) => void
}

/**
 * Takes work that waits for the provider of a judge, has it judged and records what came of it, in parts as it comes. A
 * unit that cannot be judged now because a provider is away is given back for later, however often: an outage is not a
 * result.
 */
export class JudgingWorker {
  readonly #options: JudgingWorkerOptions
  readonly #deadlines = new DeadlineCounts()
  readonly #loop: TaskLoop<ClaimedWork[]>
  readonly #stopping = new AbortController()
  readonly #losses = new Map<number, number>()

  constructor(options: JudgingWorkerOptions) {
    this.#options = options
    const { logger, storage } = options
    this.#loop = new TaskLoop({
      name: 'judging',
      pauseMs: LOOK_MS,
      tasksMax: BATCHES_MAX,
      logger,
      projectOf: (work) => work[0]?.project ?? 0,
      claim: async (free, turns) => {
        const claimed = await storage.work.claimWork('judged', free, LEASE_MS, turns)
        return [...Map.groupBy(claimed, ({ batchId }) => batchId).values()]
      },
      run: (work) => this.#process(work),
    })
  }

  start(): void {
    this.#loop.start()
  }

  wake(): void {
    this.#loop.wake()
  }

  /** Takes nothing new, stops asking, records what is finished and gives back the rest. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#loop.close()
  }

  async #process(work: readonly ClaimedWork[]): Promise<void> {
    const { storage, logger, onRecorded } = this.#options
    const run = new JudgingRun(work, storage.work, LEASE_MS, (count) => onRecorded?.(count), this.#deadlines)
    try {
      const [batch] = await storage.work.readWorkBatches([work[0]?.batchId as number])
      if (batch) await this.#judge(batch, work, run)
      else run.loseAll()
    } catch (error) {
      logger.error({ err: error, batch: work[0]?.batchId }, 'judging a batch failed')
      if (error instanceof JudgingThreadLost) this.#blame(work[0]?.batchId as number, error, run)
    }
    await run.finish().catch(async (error) => {
      logger.error({ err: error, batch: work[0]?.batchId }, 'recording judged spans failed')
      // Answers that were paid for are in the cache. When even this fails the lease runs out and the work is taken again.
      await storage.work.retryWork(work, RETRY_MS).catch(() => {})
    })
  }

  async #judge(batch: StoredBatch, work: readonly ClaimedWork[], run: JudgingRun): Promise<void> {
    const monitors = await this.#monitorsOf(work)
    const works = work.map(({ units }, at) => {
      const { version, owner, evaluator } = monitors[at] as JudgedMonitor
      return { version, evaluator, units, ...choiceOf(version, owner) }
    })
    const unitsAtOnce = (this.#losses.get(batch.batchId) ?? 0) >= LOSSES_MAX ? 1 : UNITS_AT_ONCE
    const signal = AbortSignal.any([this.#stopping.signal, run.signal])
    const { pool, storage, contentWaitMs, nowMs } = this.#options
    await pool.score({ batch, works, unitsAtOnce }, run, signal)
    const awaiting = run.takeAwaiting()
    if (awaiting.length > 0) {
      const contents = await storage.work.readWorkContents(work[0]?.project ?? 0, spansOf(awaiting))
      const { found, missing } = withContent(awaiting, contents)
      const again = works.map((each, at) => ({ ...each, units: awaitingUnits(each.units, found, at) }))
      if (found.length > 0) await pool.score({ batch, works: again, unitsAtOnce, contents }, run, signal)
      const attempt = Math.max(...work.map((piece) => piece.attempt))
      const wait = { receivedAtMs: batch.receivedAtMs, nowMs: nowMs(), waitMs: contentWaitMs, attempt }
      run.settleAwaiting([...missing, ...run.takeAwaiting()], contentRetryMs(wait))
    }
    releaseBytes(batch.bytes)
    this.#losses.delete(batch.batchId)
  }

  /** A unit that was alone in the thread when it was lost is not tried again. */
  #blame(batchId: number, { begun, message }: JudgingThreadLost, run: JudgingRun): void {
    const losses = (this.#losses.get(batchId) ?? 0) + 1
    const [culprit] = begun
    if (losses > LOSSES_MAX && begun.length === 1 && culprit) {
      run.onOutcome(culprit.work, {
        ...culprit.ids,
        status: 'error',
        errorMessage: `the evaluation ended its thread: ${message}`,
        durationUs: 0,
      })
    }
    if (this.#losses.size >= LOSSES_KEPT_MAX) this.#losses.clear()
    this.#losses.set(batchId, losses)
  }

  /** In the order of the work. */
  async #monitorsOf(work: readonly ClaimedWork[]): Promise<JudgedMonitor[]> {
    const { storage } = this.#options
    const numbers = work.map(({ monitorVersion }) => monitorVersion)
    const [versions, owners] = await Promise.all([
      storage.work.readMonitorVersions(numbers),
      storage.work.readMonitorOwners(numbers),
    ])
    return Promise.all(
      numbers.map(async (number): Promise<JudgedMonitor> => {
        const version = versions.find((each) => each.number === number)
        const owner = owners.find((each) => each.monitorVersion === number)
        if (!version || !owner) throw new Error(`monitor version ${number} does not exist`)
        return { version, owner, evaluator: await this.#evaluatorOf(version, owner) }
      }),
    )
  }

  /** A custom evaluator is the organization's; everything that it does not know is built in. */
  async #evaluatorOf(version: MonitorVersion, { orgId }: MonitorOwner): Promise<EvaluatorSource> {
    const { slug, evaluatorId, evaluatorVersion } = version
    const { storage } = this.#options
    const custom = await storage.findCustomEvaluator({ orgId }, evaluatorId, String(evaluatorVersion))
    return custom ? { custom } : { slug }
  }
}

interface JudgedMonitor {
  readonly version: MonitorVersion
  readonly owner: MonitorOwner
  readonly evaluator: EvaluatorSource
}

function choiceOf({ judge }: MonitorVersion, { orgId, projectId, setup }: MonitorOwner): JudgeChoice {
  return { payer: { orgId, projectId, setup }, model: parseModelName(judge as string) }
}
