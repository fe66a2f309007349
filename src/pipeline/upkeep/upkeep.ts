import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'
import type { ErasureStorage } from '../../ports/deletion-storage.ts'
import type { Logger } from '../../ports/logger.ts'
import type { RollupStorage } from '../../ports/rollup-storage.ts'
import type { SweepFindings, WorkStorage } from '../../ports/work-storage.ts'
import { Loop } from '../loop.ts'
import { BelievedClock } from './believed-clock.ts'

const FILL_LOOK_MS = 1_000
const SWEEP_MS = 60_000
const RETENTION_MS = 300_000
const FOLD_LOOK_MS = 60_000
/** Between two steps of folding, each of which takes about 10 ms. */
const FOLD_PAUSE_MS = 50
/** Erasure needs no message that something was deleted: it looks this often. */
const ERASURE_LOOK_MS = 5_000

/** The dependencies of upkeep. */
export interface UpkeepDeps {
  readonly storage: WorkStorage
  readonly erasure: ErasureStorage
  readonly rollups: RollupStorage
  readonly clock: Clock
  /** Instead of the clock of the process that cannot be set; for tests. */
  readonly steadyMs?: () => number
  readonly logger: Logger
  readonly retentionHoursMax: number
  /** Work was found or made that a worker should begin with. */
  readonly onWork: () => void
  /** Called with the repairs of a sweep, when there were any. */
  readonly onMended: (findings: SweepFindings) => void
  /** Called with whether the clock is doubted, so that retention goes by an earlier time. */
  readonly onClockChecked: (isDoubted: boolean) => void
}

/**
 * The work besides scoring, each in short steps so that no other call waits long for the store: making the work for
 * spans that matched before their monitor existed, looking for work that was left undone, dropping data that is no
 * longer kept, folding minutes of charts into hours and days, erasing data that was deleted.
 */
export class Upkeep {
  readonly #loops: readonly Loop[]

  constructor(deps: UpkeepDeps) {
    const { logger } = deps
    const clock = new BelievedClock({ ...deps, onLook: deps.onClockChecked })
    this.#loops = [
      new Loop({ name: 'fill', step: () => fill(deps), pauseMs: FILL_LOOK_MS, logger }),
      new Loop({ name: 'sweep', step: () => sweep(deps), pauseMs: SWEEP_MS, logger }),
      new Loop({ name: 'retention', step: () => dropExpired(deps, clock), pauseMs: RETENTION_MS, logger }),
      new Loop({ name: 'folds', step: () => fold(deps), pauseMs: FOLD_LOOK_MS, logger }),
      new Loop({ name: 'erasure', step: () => eraseDeleted(deps, clock), pauseMs: ERASURE_LOOK_MS, logger }),
    ]
  }

  start(): void {
    for (const loop of this.#loops) loop.start()
  }

  wake(): void {
    for (const loop of this.#loops) loop.wake()
  }

  async close(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.close()))
  }
}

async function fill({ storage, onWork }: UpkeepDeps): Promise<boolean> {
  const hasMore = await storage.fillWork()
  if (hasMore) onWork()
  return hasMore
}

/** Folding waits for nothing and nothing waits for it, so that it leaves most of the time to others. */
async function fold({ rollups, clock }: UpkeepDeps): Promise<boolean> {
  const hasMore = await rollups.foldRollups(clock.nowMs())
  if (hasMore) await sleep(FOLD_PAUSE_MS)
  return hasMore
}

async function sweep({ storage, logger, onMended, onWork }: UpkeepDeps): Promise<boolean> {
  const findings = await storage.sweep()
  if (findings.missingWork + findings.staleLeases > 0) {
    logger.warn({ ...findings }, 'the sweep found work that had been left undone')
    onMended(findings)
    onWork()
  }
  return false
}

async function dropExpired(
  { storage, retentionHoursMax }: UpkeepDeps,
  clock: BelievedClock,
): Promise<boolean> {
  return storage.dropExpired(await clock.nowMs(), retentionHoursMax)
}

// Erasing does not wait for the clock, but forgetting that something was deleted does.
async function eraseDeleted({ erasure }: UpkeepDeps, clock: BelievedClock): Promise<boolean> {
  return erasure.eraseDeleted(await clock.nowMs())
}
