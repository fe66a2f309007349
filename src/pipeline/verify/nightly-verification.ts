import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import { Loop } from '../loop.ts'
import type { VerifyReport } from './verify-report.ts'
import { type VerifyDeps, verifyStore } from './verify-store.ts'

/** How often it looks whether its hour has come. */
const LOOK_MS = 60_000
/** Between two slices it does nothing for this many times as long as the slice took, and for so long at least. */
const REST_SHARE = 4
const REST_MS_MIN = 20
/** One pass a day; the process that begins first within this time makes it for all processes of the store. */
const PAUSE_MS = 12 * 3_600_000
const HOUR_MS = 3_600_000

/** Dependencies of the nightly pass. */
export interface NightlyDeps extends Pick<VerifyDeps, 'storage' | 'read' | 'retentionHoursMax'> {
  readonly clock: Clock
  readonly logger: Logger
  /** The hour of the day, in UTC, in which a pass begins. */
  readonly hour: number
  readonly onVerified?: (report: VerifyReport, endedAtMs: number) => void
}

/** Looks through the whole store once a night, slowly, and tells what is wrong. It repairs nothing by itself. */
export class NightlyVerification {
  readonly #deps: NightlyDeps
  readonly #loop: Loop
  readonly #stopping = new AbortController()

  constructor(deps: NightlyDeps) {
    this.#deps = deps
    this.#loop = new Loop({
      name: 'verification',
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

  /** A pass that is under way ends between two slices; the next night makes another. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#loop.close()
  }

  async #step(): Promise<boolean> {
    const { clock, hour, storage } = this.#deps
    const startedAtMs = clock.nowMs()
    if (Math.floor(startedAtMs / HOUR_MS) % 24 !== hour) return false
    if (!(await storage.verification.begin(startedAtMs, PAUSE_MS))) return false
    await this.#verify(startedAtMs)
    return false
  }

  async #verify(startedAtMs: number): Promise<void> {
    const { clock, logger, onVerified, storage } = this.#deps
    let sliceAt = performance.now()
    const pause = async () => {
      const restMs = Math.max(REST_MS_MIN, (performance.now() - sliceAt) * REST_SHARE)
      await sleep(restMs, undefined, { signal: this.#stopping.signal })
      sliceAt = performance.now()
    }
    let report: VerifyReport
    try {
      report = await verifyStore({ ...this.#deps, nowMs: () => clock.nowMs(), isRepairing: false, pause })
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      throw error
    }
    const endedAtMs = clock.nowMs()
    const wrong = report.checks.flatMap(({ name, faults }) =>
      faults.map((fault) => ({ check: name, ...fault })),
    )
    await storage.verification.end(startedAtMs, endedAtMs, JSON.stringify(wrong))
    const took = { seconds: Math.round((endedAtMs - startedAtMs) / 1_000) }
    if (wrong.length === 0) logger.info(took, 'the store was verified and is sound')
    else logger.error({ ...took, wrong }, 'the store was verified and has faults; see "assay verify"')
    onVerified?.(report, endedAtMs)
  }
}
