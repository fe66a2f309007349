import type { MonitorVersion } from '../../domain/monitor.ts'
import { releaseBytes } from '../../lib/release-bytes.ts'
import type { Logger } from '../../ports/logger.ts'
import type { StoredBatch } from '../../ports/span-storage.ts'
import type { ClaimedWork, WorkRecord, WorkStorage } from '../../ports/work-storage.ts'
import { TaskLoop } from '../task-loop.ts'
import { awaitingUnits, contentRetryMs, spansOf, unitsIn, withContent } from './content-wait.ts'
import type { ScoringJob, WorkScores } from './scoring-job.ts'
import type { ScoringPool } from './scoring-pool.ts'

/**
 * Work is taken for this long, more than its slowest batches need when every place is taken and all of them share one thread. A
 * process that dies gives it back at its next start.
 */
const LEASE_MS = 900_000
/** How often it looks for work without a hint. */
const LOOK_MS = 1_000
/** Longest wait before work is tried again after a fault that may pass. */
const RETRY_MS_MAX = 60_000
/** Monitor versions that are kept in memory. */
const VERSIONS_KEPT_MAX = 20_000

/** The dependencies of the worker. */
export interface ScoringWorkerOptions {
  readonly storage: WorkStorage
  readonly pool: ScoringPool
  readonly logger: Logger
  /** Batches that are taken at the same time. */
  readonly batchesMax: number
  /** How long a span waits for content that comes as log events. */
  readonly contentWaitMs: number
  readonly nowMs: () => number
  /** Called when evaluations were recorded, with their number. */
  readonly onRecorded?: (count: number) => void
}

/**
 * Takes work, has it scored and records what came of it. It decides nothing: the pool evaluates, the store keeps. A batch
 * that fails as a whole, because the store or a thread was gone, is given back and tried again later, however often;
 * what is wrong with a single span is a result and not a fault.
 */
export class ScoringWorker {
  readonly #options: ScoringWorkerOptions
  readonly #loop: TaskLoop<ClaimedWork[]>
  readonly #versions = new Map<number, MonitorVersion>()

  constructor(options: ScoringWorkerOptions) {
    this.#options = options
    const { logger, batchesMax, storage } = options
    this.#loop = new TaskLoop({
      name: 'scoring',
      pauseMs: LOOK_MS,
      tasksMax: batchesMax,
      logger,
      projectOf: (work) => work[0]?.project ?? 0,
      claim: async (free, turns) => {
        const claimed = await storage.claimWork('local', free, LEASE_MS, turns)
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

  /** Whether something is being scored. */
  get isBusy(): boolean {
    return this.#loop.isBusy
  }

  /** Takes nothing new and finishes what was taken. */
  close(): Promise<void> {
    return this.#loop.close()
  }

  async #process(work: readonly ClaimedWork[]): Promise<void> {
    const { storage, logger, onRecorded } = this.#options
    try {
      const [versions, [batch]] = await Promise.all([
        this.#versionsOf(work),
        storage.readWorkBatches([work[0]?.batchId as number]),
      ])
      // A batch that is no longer kept has nothing left to score; its work only has to end.
      const records = batch ? await this.#score(batch, work, versions) : work.map(nothingToRecord)
      if (batch) releaseBytes(batch.bytes)
      onRecorded?.((await storage.recordWork(records)).evaluations)
    } catch (error) {
      const attempt = Math.max(...work.map((piece) => piece.attempt))
      const delayMs = Math.min(1_000 * 2 ** (attempt - 1), RETRY_MS_MAX)
      logger.error({ err: error, batch: work[0]?.batchId, attempt, delayMs }, 'scoring a batch failed')
      // When even this fails the lease runs out and the work is taken again.
      await storage.retryWork(work, delayMs).catch(() => {})
    }
  }

  async #score(
    batch: StoredBatch,
    work: readonly ClaimedWork[],
    versions: readonly MonitorVersion[],
  ): Promise<WorkRecord[]> {
    const works = work.map(({ units }, at) => ({ version: versions[at] as MonitorVersion, units }))
    const job = { project: work[0]?.project ?? 0, batch, works }
    const scores = await this.#options.pool.score(job)
    const records = work.map((piece, at) => {
      const { outcomes, sampledOut, skipped } = scores[at] as WorkScores
      return { work: piece, outcomes, sampledOut, skipped }
    })
    return hasAwaiting(records) ? this.#withContents(job, records) : records
  }

  /** Evaluates spans once more whose content has come as log events, and puts off those whose content may still come. */
  async #withContents(job: ScoringJob, records: readonly WorkRecord[]): Promise<WorkRecord[]> {
    const { storage, pool, contentWaitMs, nowMs } = this.#options
    const awaiting = records.flatMap(({ outcomes }, work) =>
      outcomes.filter(({ awaitsContent }) => awaitsContent).map((outcome) => ({ work, outcome })),
    )
    const contents = await storage.readWorkContents(job.project, spansOf(awaiting))
    const { found, missing } = withContent(awaiting, contents)
    const again = job.works.map((work, at) => ({ ...work, units: awaitingUnits(work.units, found, at) }))
    const scores = found.length > 0 ? await pool.score({ ...job, works: again, contents }) : []
    const { receivedAtMs } = job.batch
    return records.map(({ work, outcomes, sampledOut, skipped = 0 }, at) => {
      const own = missing.filter((each) => each.work === at).map(({ outcome }) => outcome)
      const results = [...own, ...(scores[at]?.outcomes ?? [])]
      const retryMs = contentRetryMs({
        ...{ receivedAtMs, nowMs: nowMs(), waitMs: contentWaitMs, attempt: work.attempt },
      })
      const settled = retryMs === undefined ? results : results.filter(({ awaitsContent }) => !awaitsContent)
      const left = results.filter((outcome) => !settled.includes(outcome))
      return {
        work,
        outcomes: [...outcomes.filter(({ awaitsContent }) => !awaitsContent), ...settled],
        sampledOut,
        skipped,
        ...(left.length > 0 && retryMs !== undefined
          ? { left: { units: unitsIn(work.units, left), readyInMs: retryMs } }
          : {}),
      }
    })
  }

  /** In the order of the work. Versions never change, so they are read once. */
  async #versionsOf(work: readonly ClaimedWork[]): Promise<MonitorVersion[]> {
    const numbers = new Set(work.map(({ monitorVersion }) => monitorVersion))
    const missing = [...numbers].filter((number) => !this.#versions.has(number))
    const known = [...numbers].flatMap((number) => this.#versions.get(number) ?? [])
    const read = missing.length > 0 ? await this.#options.storage.readMonitorVersions(missing) : []
    if (this.#versions.size > VERSIONS_KEPT_MAX) this.#versions.clear()
    for (const version of read) this.#versions.set(version.number, version)
    const byNumber = new Map([...known, ...read].map((version) => [version.number, version]))
    return work.map(({ monitorVersion }) => {
      const version = byNumber.get(monitorVersion)
      if (!version) throw new Error(`monitor version ${monitorVersion} does not exist`)
      return version
    })
  }
}

function hasAwaiting(records: readonly WorkRecord[]): boolean {
  return records.some(({ outcomes }) => outcomes.some(({ awaitsContent }) => awaitsContent))
}

function nothingToRecord(work: ClaimedWork): WorkRecord {
  return { work, outcomes: [], sampledOut: 0 }
}
