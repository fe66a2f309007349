import { setTimeout } from 'node:timers/promises'
import { isSampled } from '../../domain/sampling.ts'
import { emptyUnits, listUnits, removeUnit } from '../../domain/unit-set.ts'
import { defined } from '../../lib/defined.ts'
import type { BackfillBatch, BackfillTurn, DecidedBatch, JobQueue } from '../../ports/job-storage.ts'
import type { Logger } from '../../ports/logger.ts'
import type { CatalogueSetup } from '../../ports/span-storage.ts'
import { isUnreadable } from '../digest/is-unreadable.ts'
import type { SetupMatch } from '../ingest/batch-packer.ts'
import { Loop } from '../loop.ts'

/** How often it looks for jobs without a hint, and whether those that stood back may go on. */
const LOOK_MS = 500
/** Batches that are matched in one step. */
const BATCHES_MAX = 8
/** Longest rest after a step. A step takes milliseconds; one that took longer waited, or its process stood still. */
const REST_MS_MAX = 2_000
/** A batch that can be read and whose matching is cut short so often is left out: those behind it must not wait for ever. */
const ATTEMPTS_MAX = 10
const TRACE_ID_BYTES = 16
const IDS_BYTES = 24

/** The dependencies of jobs. */
export interface JobsDeps {
  readonly storage: JobQueue
  /** Tells which spans of a batch a setup matches, in a thread. */
  readonly match: (setup: CatalogueSetup, batch: BackfillBatch) => Promise<SetupMatch>
  readonly logger: Logger
  /** Work was made that a worker should begin with. */
  readonly onWork: () => void
}

/**
 * Carries jobs on, step by step. A step is one transaction that moves the job and makes the work it has found, so that a
 * process that dies loses nothing and does nothing twice. After each step it rests as long as the step took: what comes in
 * never finds more than half of the time taken.
 */
export class Jobs {
  readonly #deps: JobsDeps
  readonly #loop: Loop
  // By batch; the thread may have been lost through another batch, so that one fault says little.
  readonly #faults = new Map<number, number>()

  constructor(deps: JobsDeps) {
    this.#deps = deps
    const { logger } = deps
    this.#loop = new Loop({ name: 'jobs', pauseMs: LOOK_MS, logger, step: () => this.#step() })
  }

  start(): void {
    this.#loop.start()
  }

  wake(): void {
    this.#loop.wake()
  }

  async close(): Promise<void> {
    await this.#loop.close()
  }

  async #step(): Promise<boolean> {
    const { storage, onWork } = this.#deps
    const begunAt = performance.now()
    const turn = await storage.takeTurn()
    const hasMoved = turn.backfill ? await this.#backfill(turn.backfill) : turn.hasMore
    if (turn.hasWork || turn.backfill) onWork()
    if (hasMoved) await setTimeout(Math.min(performance.now() - begunAt, REST_MS_MAX))
    return hasMoved
  }

  async #backfill(turn: BackfillTurn): Promise<boolean> {
    const { storage } = this.#deps
    const decided: DecidedBatch[] = []
    for (const batch of await storage.readBackfillBatches(turn, BATCHES_MAX)) {
      decided.push(await this.#decide(turn, batch))
    }
    return storage.recordBackfill(turn, decided)
  }

  /** A batch that can never be read matches nothing: it must not keep the job from those behind it. */
  async #decide({ setup, request, jobNumber }: BackfillTurn, batch: BackfillBatch): Promise<DecidedBatch> {
    const { match, logger } = this.#deps
    const { batchId, receivedAtMs, repeated } = batch
    try {
      const { spanCount, units, ids, skipped } = await match(setup, batch)
      for (const ordinal of repeated) removeUnit(units, ordinal)
      for (const ordinal of listUnits(units)) {
        const traceId = ids.subarray(ordinal * IDS_BYTES, ordinal * IDS_BYTES + TRACE_ID_BYTES)
        if (!isMeant(traceId, request)) removeUnit(units, ordinal)
      }
      this.#faults.delete(batchId)
      return { batchId, receivedAtMs, spanCount, units, ids, ...defined({ skipped }) }
    } catch (error) {
      const attempt = (this.#faults.get(batchId) ?? 0) + 1
      this.#faults.set(batchId, attempt)
      // A thread that has ended or is slow need not be the fault of the batch.
      if (!isUnreadable(error) && attempt < ATTEMPTS_MAX) throw error
      this.#faults.delete(batchId)
      logger.error(
        { err: error, batch: batchId, job: jobNumber },
        'a batch cannot be matched; the job leaves it out',
      )
      return { batchId, receivedAtMs, spanCount: 0, units: emptyUnits(0), ids: new Uint8Array(0) }
    }
  }
}

function isMeant(id: Uint8Array, { traceId, samplingRate }: BackfillTurn['request']): boolean {
  if (traceId !== undefined && Buffer.from(id).toString('hex') !== traceId) return false
  return isSampled(id, samplingRate)
}
