import { setTimeout as sleep } from 'node:timers/promises'
import type { BatchDigest } from '../domain/trace-digest.ts'
import type { Logger } from '../ports/logger.ts'
import type { DigestStorage, UndigestedBatch } from '../ports/trace-storage.ts'
import { Loop } from './loop.ts'

/** Batches that are summed up in one step, and their bytes before compression; a step is one transaction. */
const BATCHES_MAX = 64
const BYTES_MAX = 8_388_608
/**
 * While spans are coming in or being scored they go first: so many bytes at a time, with such a pause before each. That is
 * some thousand spans a second; a burst that is faster is summed up after it.
 */
const BUSY_BYTES_MAX = 1_048_576
const BUSY_PAUSE_MS = 200
/** How often it looks for batches that nobody told it about. */
const LOOK_MS = 1_000
/** A batch that cannot be summed up is tried this often, then it is left out: those behind it must not wait for ever. */
const ATTEMPTS_MAX = 3

/** What summing up works with. */
export interface DigestDeps {
  readonly storage: DigestStorage
  /** Reads the spans of a batch, in a thread. */
  readonly read: (batch: UndigestedBatch) => Promise<BatchDigest>
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
 */
export class Digest {
  readonly #deps: DigestDeps
  readonly #loop: Loop
  #failures = 0

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
    const { storage, onDigested, quietMsMin, isBusy } = this.#deps
    const isYielding = isBusy()
    if (isYielding) await sleep(BUSY_PAUSE_MS)
    const { after, batches } = await storage.readUndigested(
      BATCHES_MAX,
      isYielding ? BUSY_BYTES_MAX : BYTES_MAX,
    )
    const [first] = batches
    if (!first) return false
    try {
      const digests = await this.#readAll(batches)
      await storage.recordDigests(after, digests, quietMsMin)
    } catch (error) {
      if (++this.#failures < ATTEMPTS_MAX) throw error
      this.#deps.logger.error(
        { err: error, batch: first.batchId },
        'a batch cannot be summed up and is left out',
      )
      await storage.recordDigests(after, [{ batchId: first.batchId, traces: [], usage: [] }], quietMsMin)
    }
    this.#failures = 0
    onDigested?.()
    return true
  }

  /** As many as can be read; the first that cannot be is not the fault of those before it. */
  async #readAll(batches: readonly UndigestedBatch[]): Promise<BatchDigest[]> {
    const digests: BatchDigest[] = []
    for (const batch of batches) {
      try {
        digests.push(await this.#deps.read(batch))
      } catch (error) {
        if (digests.length === 0) throw error
        break
      }
    }
    // After a failure one at a time, so that only the batch is left out that is to blame.
    return this.#failures > 0 ? digests.slice(0, 1) : digests
  }
}
