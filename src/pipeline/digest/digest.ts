import { setTimeout as sleep } from 'node:timers/promises'
import { RefusedData } from '../../domain/errors.ts'
import type { BatchDigest } from '../../domain/trace-digest.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type {
  DigestOutcome,
  DigestStorage,
  OverdueBatch,
  UndigestedBatch,
} from '../../ports/trace-storage.ts'
import { Loop } from '../loop.ts'
import { isUnreadable } from './is-unreadable.ts'

/** Batches that are summed up in one step, and their bytes before compression; a step is one transaction. */
const BATCHES_MAX = 64
const BYTES_MAX = 8_388_608
/**
 * While spans are coming in or being scored they go first: so many bytes at a time, with such a pause before each. That is
 * some thousand spans a second; a burst that is faster is summed up after it.
 */
const BUSY_BYTES_MAX = 1_048_576
const BUSY_PAUSE_MS = 200
/** How often it looks for batches without a hint. */
const LOOK_MS = 1_000
/** Batches that were passed over and are tried again in one step, and their bytes. */
const OVERDUE_MAX = 8
const OVERDUE_BYTES_MAX = 1_048_576
/** Reading a batch is cut short this often in a row, for whatever reason, before those behind it go first. */
const ATTEMPTS_MAX = 3
/** After that it is tried again, first after the shorter and at last after the longer time. */
const RETRY_MS_MIN = 60_000
const RETRY_MS_MAX = 3_600_000
/** A batch that cannot be read is tried again after a start, and this often in case that its bytes were restored. */
const GIVEN_UP_RETRY_MS = 86_400_000
const REASON_CHARS_MAX = 500

/** The dependencies of the digest. */
export interface DigestDeps {
  readonly storage: DigestStorage
  /** Reads the spans of a batch, in a thread. */
  readonly read: (batch: UndigestedBatch) => Promise<BatchDigest>
  readonly clock: Clock
  readonly logger: Logger
  /** Whether spans are coming in or being scored at the moment. */
  readonly isBusy: () => boolean
  /** How long a trace has to be quiet at least before it is evaluated as a whole. */
  readonly quietMsMin: number
  /** Told when batches were summed up. */
  readonly onDigested?: () => void
}

/**
 * Sums up what batches say about traces, sessions and the use of models, after they were stored and in their order. It
 * decides nothing; what it leaves behind is what lists and totals read, so that they need not go through the spans.
 *
 * A batch whose own bytes are at fault is given up, visibly; those behind it go on. An error of the store says nothing about
 * a batch: the step is tried again until the store works. When the thread that reads batches ends or is too slow, that may or
 * may not be the fault of the batch, so the batch is passed over for a while and tried again for as long as it is kept.
 */
export class Digest {
  readonly #deps: DigestDeps
  readonly #loop: Loop
  /** The batch whose reading was cut short last, and how often in a row. */
  #cutShort = { batchId: 0, times: 0 }
  #hasRetried = false

  constructor(deps: DigestDeps) {
    this.#deps = deps
    this.#loop = new Loop({
      name: 'digest',
      pauseMs: LOOK_MS,
      logger: deps.logger,
      step: () => this.#step(),
    })
  }

  start(): void {
    this.#loop.start()
  }

  wake(): void {
    this.#loop.wake()
  }

  close(): Promise<void> {
    return this.#loop.close()
  }

  async #step(): Promise<boolean> {
    const { storage, onDigested, isBusy } = this.#deps
    if (!this.#hasRetried) {
      await storage.retryGivenUp()
      this.#hasRetried = true
    }
    const isYielding = isBusy()
    if (isYielding) await sleep(BUSY_PAUSE_MS)
    const { after, batches } = await storage.readUndigested(
      BATCHES_MAX,
      isYielding ? BUSY_BYTES_MAX : BYTES_MAX,
    )
    if (batches.length > 0) await this.#record(after, await this.#readAll(batches))
    const retried = await this.#retryOverdue()
    if (batches.length === 0 && retried === 0) return false
    onDigested?.()
    return true
  }

  /** As many as can be read now; one that is cut short too often is passed over when it is the first. */
  async #readAll(batches: readonly UndigestedBatch[]): Promise<DigestOutcome[]> {
    const outcomes: DigestOutcome[] = []
    for (const batch of batches) {
      try {
        outcomes.push(await this.#deps.read(batch))
      } catch (error) {
        if (isUnreadable(error)) outcomes.push(this.#giveUp(batch, error))
        else if (outcomes.length > 0) break
        else if (this.#countCut(batch.batchId) < ATTEMPTS_MAX) throw error
        else outcomes.push(this.#putOff(batch, error, 1))
      }
    }
    return outcomes
  }

  async #record(after: number, outcomes: readonly DigestOutcome[]): Promise<void> {
    const { storage, quietMsMin } = this.#deps
    try {
      await storage.recordDigests(after, outcomes, quietMsMin)
    } catch (error) {
      const [only, ...others] = outcomes
      if (!(error instanceof RefusedData) || !only) throw error
      if (others.length === 0) {
        await storage.recordDigests(after, [this.#giveUp(only, error)], quietMsMin)
        return
      }
      // One at a time, so that no other batch is given up for the one that is refused.
      let previous = after
      for (const outcome of outcomes) {
        await this.#record(previous, [outcome])
        previous = outcome.batchId
      }
    }
  }

  /** Tries batches that were passed over; tells how many. */
  async #retryOverdue(): Promise<number> {
    const { storage, clock, quietMsMin } = this.#deps
    const overdue = await storage.readOverdue(clock.nowMs(), OVERDUE_MAX, OVERDUE_BYTES_MAX)
    for (const batch of overdue) {
      const outcome = await this.#readOverdue(batch)
      try {
        await storage.recordOverdue(outcome, quietMsMin)
      } catch (error) {
        if (!(error instanceof RefusedData)) throw error
        await storage.recordOverdue(this.#giveUp(batch, error), quietMsMin)
      }
    }
    return overdue.length
  }

  async #readOverdue(batch: OverdueBatch): Promise<DigestOutcome> {
    try {
      return await this.#deps.read(batch)
    } catch (error) {
      if (isUnreadable(error)) return this.#giveUp(batch, error)
      return this.#putOff(batch, error, batch.attempts + 1)
    }
  }

  #countCut(batchId: number): number {
    const times = this.#cutShort.batchId === batchId ? this.#cutShort.times + 1 : 1
    this.#cutShort = { batchId, times }
    return times
  }

  #giveUp({ batchId }: { readonly batchId: number }, error: unknown): DigestOutcome {
    const { logger, clock } = this.#deps
    logger.error(
      { err: error, batch: batchId },
      'a batch cannot be summed up and is given up; its spans are in no trace. See "assay verify"',
    )
    const retryAtMs = clock.nowMs() + GIVEN_UP_RETRY_MS
    return { batchId, passedOver: { reason: reasonOf(error), isGivenUp: true, retryAtMs } }
  }

  #putOff({ batchId }: { readonly batchId: number }, error: unknown, attempt: number): DigestOutcome {
    const { logger, clock } = this.#deps
    const delayMs = Math.min(RETRY_MS_MIN * 2 ** (attempt - 1), RETRY_MS_MAX)
    logger.warn({ err: error, batch: batchId, attempt, delayMs }, 'a batch is summed up later')
    const retryAtMs = clock.nowMs() + delayMs
    return { batchId, passedOver: { reason: reasonOf(error), isGivenUp: false, retryAtMs } }
  }
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.slice(0, REASON_CHARS_MAX)
}
