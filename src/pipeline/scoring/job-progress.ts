import type { UnitOutcome } from '../../domain/evaluation.ts'
import { defined } from '../../lib/defined.ts'
import {
  EVERY_WORK,
  NO_SPAN,
  type Poison,
  type ScoresPart,
  type ScoringJob,
  type ScoringPlace,
  type ScoringStart,
  type WorkScores,
} from './scoring-job.ts'

/** How a thread was lost. */
export interface ThreadLoss {
  readonly place: ScoringPlace
  /** Reads on after what was being done: `took longer than 5000 ms`. */
  readonly what: string
  /** Whether what was being done is to blame; else it is tried once more, because a thread may die of its past. */
  readonly isCertain: boolean
  /** Time since the thread was last heard of. */
  readonly tookMs: number
}

/**
 * How far a job has come, whatever becomes of the threads that work on it. Its parts are consecutive, so that a unit is in
 * one part only: a thread that is lost takes with it what it had not handed over, and the next one does that again.
 */
export class JobProgress {
  readonly job: ScoringJob
  readonly #scores: { outcomes: UnitOutcome[]; rest: Omit<WorkScores, 'outcomes'> }[]
  readonly #poisoned: Poison[] = []
  readonly #suspects = new Set<string>()
  #usedMs: number[]
  #from = 0

  constructor(job: ScoringJob) {
    this.job = job
    this.#scores = job.works.map(() => ({ outcomes: [], rest: { sampledOut: 0, skipped: 0, lost: 0 } }))
    this.#usedMs = job.works.map(() => 0)
  }

  /** Where the next thread has to begin. */
  get start(): ScoringStart {
    return { from: this.#from, poisoned: this.#poisoned, usedMs: this.#usedMs }
  }

  /** In the order of the job's works. */
  get scores(): WorkScores[] {
    return this.#scores.map(({ outcomes, rest }) => ({ outcomes, ...rest }))
  }

  take({ upTo, scores, usedMs }: ScoresPart): void {
    for (const [at, { outcomes, sampledOut, skipped, lost, lossReason }] of scores.entries()) {
      const growing = this.#scores[at]
      if (!growing) throw new Error('a part has more works than its job')
      for (const outcome of outcomes) growing.outcomes.push(outcome)
      const reason = growing.rest.lossReason ?? lossReason
      growing.rest = {
        sampledOut: growing.rest.sampledOut + sampledOut,
        skipped: growing.rest.skipped + skipped,
        lost: growing.rest.lost + lost,
        ...defined({ lossReason: reason }),
      }
    }
    this.#from = upTo
    this.#usedMs = [...usedMs]
  }

  /** Takes out what ended a thread; false when that had been taken out already and is not the cause. */
  blame({ place, what, isCertain, tookMs }: ThreadLoss): boolean {
    this.#spend(place, tookMs)
    const { ordinal, work } = place
    const key = `${ordinal} ${work}`
    if (!isCertain && !this.#suspects.has(key)) {
      this.#suspects.add(key)
      return true
    }
    return this.poison({
      ...(ordinal === NO_SPAN ? {} : { ordinal }),
      ...(work === EVERY_WORK ? {} : { work }),
      message: `${deedAt(place)} ${what}`,
    })
  }

  /** Leaves something out from now on; false when it is left out already. */
  poison(poison: Poison): boolean {
    const isKnown = this.#poisoned.some(
      ({ ordinal, work }) => ordinal === poison.ordinal && work === poison.work,
    )
    if (!isKnown) this.#poisoned.push(poison)
    return !isKnown
  }

  /** The time of what all works need is shared by all. */
  #spend({ work }: ScoringPlace, tookMs: number): void {
    const share = tookMs / this.#usedMs.length
    this.#usedMs = this.#usedMs.map((used, at) => {
      if (work === EVERY_WORK) return used + share
      return at === work ? used + tookMs : used
    })
  }
}

function deedAt({ ordinal, work }: ScoringPlace): string {
  if (ordinal === NO_SPAN) return 'reading the batch'
  return work === EVERY_WORK ? 'reading the span' : 'the evaluation'
}
