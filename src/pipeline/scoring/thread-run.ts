import { isOutOfMemory, LOAD_MS_MAX } from '../../lib/threads/thread-call.ts'
import type { PooledThread } from '../../lib/threads/thread-pool.ts'
import type { Logger } from '../../ports/logger.ts'
import type { JobProgress } from './job-progress.ts'
import { readScores } from './scores-text.ts'
import { NO_SPAN, type ScoringPlace } from './scoring-job.ts'
import type { ScoringPosition } from './scoring-position.ts'
import type { ThreadJob, ThreadMessage } from './serve-evaluations.ts'

/**
 * How often a running thread is looked at: so often within the longest time of a unit, and at least after so long. Looks are
 * counted instead of time, so that a unit is not blamed for a process that was stopped or an event loop that was held up.
 */
const LOOKS_PER_UNIT = 10
const LOOK_MS_MAX = 100

/** A thread and its position, which it shares with the pool. */
type ScoringThread = PooledThread<ScoringPosition>

/**
 * How a thread's run of a job ended. `done`: the thread is free. `paused`: so it is, and the job is not finished. `go on`: the thread is gone or must go, and the rest of
 * the job needs another. `failed`: the same, but no unit is to blame, so that another thread would fare no better.
 */
export type RunEnding =
  | { readonly kind: 'done' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'go on'; readonly loss: LossNote }
  | { readonly kind: 'failed'; readonly loss: LossNote; readonly cause: unknown }

/** The facts for the log about a thread that was lost. */
export interface LossNote extends ScoringPlace {
  readonly slug: string | undefined
  readonly what: string
}

/** Runs a job in a thread, from where it stands to its end or to the end of the thread. */
export function runInThread(
  thread: ScoringThread,
  progress: JobProgress,
  unitMsMax: number,
  logger: Logger,
): Promise<RunEnding> {
  return new Promise((resolve) => new ThreadRun(thread, progress, unitMsMax, logger, resolve).begin())
}

class ThreadRun {
  readonly #thread: ScoringThread
  readonly #progress: JobProgress
  readonly #unitMsMax: number
  readonly #lookMs: number
  readonly #logger: Logger
  readonly #resolve: (ending: RunEnding) => void
  #loadTimer: NodeJS.Timeout | undefined
  #lookTimer: NodeJS.Timeout | undefined
  #heardMs = performance.now()
  #step = 0
  #looks = 0

  constructor(
    thread: ScoringThread,
    progress: JobProgress,
    unitMsMax: number,
    logger: Logger,
    resolve: (ending: RunEnding) => void,
  ) {
    this.#thread = thread
    this.#progress = progress
    this.#unitMsMax = unitMsMax
    this.#lookMs = Math.min(LOOK_MS_MAX, Math.max(1, unitMsMax / LOOKS_PER_UNIT))
    this.#logger = logger
    this.#resolve = resolve
  }

  begin(): void {
    const { worker, isLoaded } = this.#thread
    if (!isLoaded) {
      const late = `did not load within ${LOAD_MS_MAX} ms`
      this.#loadTimer = setTimeout(() => this.#lose(late, true, undefined), LOAD_MS_MAX)
    }
    this.#lookTimer = setInterval(this.#onLook, this.#lookMs)
    worker.on('message', this.#onMessage)
    worker.once('error', this.#onLost)
    worker.once('exit', this.#onLost)
    const message: ThreadJob = { job: this.#progress.job, start: this.#progress.start }
    worker.postMessage(message)
  }

  #end(ending: RunEnding): void {
    const { worker } = this.#thread
    clearTimeout(this.#loadTimer)
    clearInterval(this.#lookTimer)
    worker.off('message', this.#onMessage)
    worker.off('error', this.#onLost)
    worker.off('exit', this.#onLost)
    this.#resolve(ending)
  }

  readonly #onMessage = (message: ThreadMessage): void => {
    this.#heardMs = performance.now()
    if (message === 'ready') {
      this.#thread.isLoaded = true
      clearTimeout(this.#loadTimer)
    } else if (message === 'done' || message === 'paused') {
      this.#end({ kind: message })
    } else if ('part' in message) {
      this.#progress.take(readScores(message.part))
    } else if ('tainted' in message) {
      const { message: what, ...place } = message.tainted
      this.#goOn(this.#progress.poison(message.tainted), place, what, undefined)
    } else {
      this.#logger.error({ slug: message.slug, bug: message.bug }, 'an evaluator failed on a span')
    }
  }

  readonly #onLost = (cause: unknown): void => {
    this.#lose(
      isOutOfMemory(cause) ? 'needs more memory than an evaluation may use' : 'ended its thread',
      false,
      cause,
    )
  }

  readonly #onLook = (): void => {
    const { shared: position, isLoaded } = this.#thread
    const { step } = position
    this.#looks = isLoaded && step === this.#step ? this.#looks + 1 : 0
    this.#step = step
    const limitMs = Math.min(position.budgetMs || this.#unitMsMax, this.#unitMsMax)
    if (this.#looks <= limitMs / this.#lookMs) return
    // Where no span is in hand the machine may just have had no time for the thread.
    const isCertain = position.place.ordinal !== NO_SPAN
    this.#lose(`took longer than ${limitMs} ms`, isCertain, undefined)
  }

  #lose(what: string, isCertain: boolean, cause: unknown): void {
    const { place } = this.#thread.shared
    const tookMs = performance.now() - this.#heardMs
    const isBlamed = this.#thread.isLoaded && this.#progress.blame({ place, what, isCertain, tookMs })
    this.#goOn(isBlamed, place, what, cause)
  }

  #goOn(isPossible: boolean, place: ScoringPlace, what: string, cause: unknown): void {
    const loss = { ...place, slug: this.#progress.job.works[place.work]?.version.slug, what }
    this.#end(
      isPossible ? { kind: 'go on', loss } : { kind: 'failed', loss, cause: cause ?? new Error(what) },
    )
  }
}
