import type { UnitOutcome } from '../../domain/evaluation.ts'
import { countUnits, removeUnit, type UnitSet } from '../../domain/unit-set.ts'
import { oneLine } from '../../lib/one-line.ts'
import type { ClaimedWork, WorkRecord, WorkStorage } from '../../ports/work-storage.ts'
import type { AwaitingOutcome } from '../scoring/content-wait.ts'
import { DeadlineCounts } from './deadline-counts.ts'
import type { PutOff, UnitIds } from './judging-message.ts'
import type { JudgingWatch } from './judging-pool.ts'

/** How often finished units are recorded; a crash costs the calls of at most so much time. */
const RECORD_MS = 500
/** Work that was put off is tried again after this, twice as late each time up to the longest wait. */
const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 60_000
/** A unit whose judge takes too long so often is given up: it is the unit, and not the provider. */
const DEADLINES_MAX = 3
const MESSAGE_CHARS_MAX = 500

interface Progress {
  readonly work: ClaimedWork
  /** Units that have no outcome yet. */
  readonly left: UnitSet
  outcomes: UnitOutcome[]
  sampledOut: number
  skipped: number
  /** Whether something has happened since the last record. */
  hasNews: boolean
  /** Whether another worker has it now, or it is no longer wanted. */
  isLost: boolean
}

/**
 * How far the work of one batch has come. Outcomes are recorded in parts under the same lease; what is left at the end is
 * given back. Work of which a part is refused is no longer ours; when that is so of all of it, the signal says so.
 */
export class JudgingRun implements JudgingWatch {
  readonly #works: readonly Progress[]
  readonly #storage: WorkStorage
  readonly #leaseMs: number
  readonly #onRecorded: (count: number) => void
  readonly #deadlines: DeadlineCounts
  readonly #timer: NodeJS.Timeout
  readonly #lost = new AbortController()
  #recording: Promise<void> = Promise.resolve()
  #retryMs = 0
  #awaiting: AwaitingOutcome[] = []

  constructor(
    work: readonly ClaimedWork[],
    storage: WorkStorage,
    leaseMs: number,
    onRecorded: (count: number) => void,
    deadlines: DeadlineCounts = new DeadlineCounts(),
  ) {
    this.#works = work.map((piece) => ({
      work: piece,
      left: Uint8Array.from(piece.units),
      outcomes: [],
      sampledOut: 0,
      skipped: 0,
      hasNews: false,
      isLost: false,
    }))
    this.#storage = storage
    this.#leaseMs = leaseMs
    this.#onRecorded = onRecorded
    this.#deadlines = deadlines
    this.#timer = setInterval(() => void this.#record(false).catch(() => {}), RECORD_MS)
  }

  /** Aborts when none of the work is ours any more. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  onOutcome(work: number, outcome: UnitOutcome): void {
    if (outcome.awaitsContent) {
      this.#awaiting.push({ work, outcome })
      return
    }
    const progress = this.#take(work, outcome.ordinal)
    progress.outcomes.push(outcome)
  }

  /** The outcomes since the last call of spans whose content may still come; they are not recorded until they are settled. */
  takeAwaiting(): readonly AwaitingOutcome[] {
    const awaiting = this.#awaiting
    this.#awaiting = []
    return awaiting
  }

  /** Gives spans whose content has not come back for later; without a time, they are recorded as they are. */
  settleAwaiting(awaiting: readonly AwaitingOutcome[], retryMs: number | undefined): void {
    if (retryMs !== undefined && awaiting.length > 0) this.#retryMs = Math.max(this.#retryMs, retryMs)
    if (retryMs !== undefined) return
    for (const { work, outcome } of awaiting) {
      const { awaitsContent: _, ...settled } = outcome
      this.onOutcome(work, settled)
    }
  }

  onSampledOut(work: number, ordinal: number): void {
    this.#take(work, ordinal).sampledOut++
  }

  onSkipped(work: number, ordinal: number): void {
    this.#take(work, ordinal).skipped++
  }

  onLost(work: number, ordinal: number): void {
    this.#take(work, ordinal)
  }

  onPutOff(work: number, ids: UnitIds, { reason, message, retryAfterMs }: PutOff): void {
    const { attempt, batchId, monitorVersion } = (this.#works[work] as Progress).work
    const unit = `${batchId}/${monitorVersion}/${ids.ordinal}`
    const deadlines = reason === 'deadline' ? this.#deadlines.count(unit) : 0
    if (deadlines >= DEADLINES_MAX) {
      this.#deadlines.forget(unit)
      const errorMessage = oneLine(`given up after ${deadlines} attempts: ${message}`, MESSAGE_CHARS_MAX)
      this.onOutcome(work, { ...ids, status: 'error', errorMessage, durationUs: 0 })
      return
    }
    const backoffMs = Math.min(RETRY_MS_MIN * 2 ** (attempt - 1), RETRY_MS_MAX)
    this.#retryMs = Math.max(this.#retryMs, Math.ceil(retryAfterMs ?? backoffMs))
  }

  /** The batch is no longer kept: nothing can come of its units. */
  loseAll(): void {
    for (const { left } of this.#works) left.fill(0)
  }

  /** Records the rest and ends the work, or gives back what is left of it. */
  async finish(): Promise<void> {
    clearInterval(this.#timer)
    await this.#record(true)
  }

  #take(work: number, ordinal: number): Progress {
    const progress = this.#works[work] as Progress
    removeUnit(progress.left, ordinal)
    progress.hasNews = true
    return progress
  }

  /** One after the other, so that a slow store does not get the same part twice. */
  #record(isLast: boolean): Promise<void> {
    const next = this.#recording.catch(() => {}).then(() => this.#recordNow(isLast))
    this.#recording = next
    return next
  }

  async #recordNow(isLast: boolean): Promise<void> {
    const due = this.#works.filter(({ hasNews, isLost }) => !isLost && (isLast || hasNews))
    if (due.length === 0) return
    const records = due.map((progress) => this.#partOf(progress, isLast))
    try {
      const { evaluations, refused } = await this.#storage.recordWork(records)
      this.#onRecorded(evaluations)
      for (const at of refused) (due[at] as Progress).isLost = true
      if (this.#works.every(({ isLost }) => isLost)) this.#lost.abort()
    } catch (error) {
      // The store may be back in a moment: nothing of the part was written, and it is part of the next one.
      for (const [at, progress] of due.entries()) putBack(progress, records[at] as WorkRecord)
      throw error
    }
  }

  #partOf(progress: Progress, isLast: boolean): WorkRecord {
    const { work, left, outcomes, sampledOut, skipped } = progress
    progress.outcomes = []
    progress.sampledOut = 0
    progress.skipped = 0
    progress.hasNews = false
    const part = { work, outcomes, sampledOut, skipped }
    if (isLast && countUnits(left) === 0) return part
    const units = Uint8Array.from(left)
    return isLast
      ? { ...part, left: { units, readyInMs: this.#retryMs } }
      : { ...part, left: { units, holdMs: this.#leaseMs } }
  }
}

function putBack(progress: Progress, { outcomes, sampledOut, skipped = 0 }: WorkRecord): void {
  progress.outcomes = [...outcomes, ...progress.outcomes]
  progress.sampledOut += sampledOut
  progress.skipped += skipped
  progress.hasNews = true
}
