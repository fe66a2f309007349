import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type { WorkStorage } from '../../ports/work-storage.ts'

/** For this long time is taken from the clock that cannot be set, instead of being asked for and stored at every step. */
const LOOK_MS = 10_000

/** Dependencies of a believed clock. */
export interface BelievedClockDeps {
  readonly storage: Pick<WorkStorage, 'checkClock'>
  readonly clock: Clock
  readonly logger: Logger
  /** Called with whether the clock is doubted, after each look at it. */
  readonly onLook: (isDoubted: boolean) => void
  /** Milliseconds by a clock that cannot be set. */
  readonly steadyMs?: () => number
}

/** The time that may delete something: a jump of the clock by more than a day is not in it until it has lasted a day. */
export class BelievedClock {
  readonly #deps: BelievedClockDeps
  readonly #steadyMs: () => number
  #last: { readonly believedAtMs: number; readonly atMs: number } | undefined
  #isDoubted = false

  constructor(deps: BelievedClockDeps) {
    this.#deps = deps
    this.#steadyMs = deps.steadyMs ?? (() => performance.now())
  }

  async nowMs(): Promise<number> {
    const atMs = this.#steadyMs()
    const elapsedMs = this.#last ? atMs - this.#last.atMs : 0
    if (this.#last && elapsedMs < LOOK_MS) return Math.floor(this.#last.believedAtMs + elapsedMs)
    const { storage, clock, onLook } = this.#deps
    const record = await storage.checkClock(clock.nowMs(), Math.floor(elapsedMs))
    this.#last = { believedAtMs: record.believedAtMs, atMs }
    const isDoubted = record.doubtedSinceMs !== undefined
    if (isDoubted !== this.#isDoubted) this.#tell(isDoubted, record)
    this.#isDoubted = isDoubted
    onLook(isDoubted)
    return record.believedAtMs
  }

  #tell(isDoubted: boolean, { seenAtMs, believedAtMs }: { seenAtMs: number; believedAtMs: number }): void {
    const { logger } = this.#deps
    const times = { clock: new Date(seenAtMs).toISOString(), believed: new Date(believedAtMs).toISOString() }
    if (!isDoubted) {
      logger.info(times, 'the clock is believed again')
      return
    }
    logger.warn(
      times,
      'the clock is more than a day ahead of the last known time; retention goes on from the last known time until the clock ' +
        'has been stable for a day. This is normal after a longer downtime; otherwise check the clock',
    )
  }
}
