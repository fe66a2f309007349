import { FairQueue } from '../../lib/fair-queue.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import type { Logger } from '../../ports/logger.ts'
import { ownedBytes } from '../ingest/owned-bytes.ts'
import { JobProgress } from './job-progress.ts'
import { SLICE_MS } from './score-batch.ts'
import type { ScoringJob, WorkScores } from './scoring-job.ts'
import { ScoringPosition } from './scoring-position.ts'
import type { SharedThreadData, ThreadData } from './serve-scoring.ts'
import { type RunEnding, runInThread, type ScoringThread } from './thread-run.ts'

/** How much scoring may use. */
export interface ScoringLimits {
  readonly threadsMax: number
  /** Longest time that one span may take for one monitor. */
  readonly unitMsMax: number
  /** Memory of one thread; what needs more ends its thread, not the process. */
  readonly heapMbMax: number
  /** Jobs that may wait for a thread; one more is refused. */
  readonly waitingMax: number
}

/**
 * When no thread has become free for so long while another project waits, all of them are busy with single units: one thread
 * more is used for those who wait, and never by a project that has one already. A job that runs for so long has that thread
 * started, because loading one takes longer than anybody should wait.
 */
const RELIEF_MS = 150

interface Task {
  readonly progress: JobProgress
  resolve(scores: WorkScores[]): void
  reject(error: Error): void
}

/**
 * Threads that score, one job each at a time. Projects take turns by the time they have used: where another one waits, a job
 * gives its thread back after a slice and goes on when its project has its next turn. A unit that takes too long, or that its thread dies of, becomes an `error`
 * outcome; the rest of its job goes on in a new thread. Threads start when they are first needed. A job is rejected only
 * for what is not its own fault, such as a thread that cannot be started: it may be tried again.
 */
export class ScoringPool {
  readonly #startThread: StartThread
  readonly #limits: ScoringLimits
  readonly #logger: Logger
  readonly #shared: SharedThreadData
  readonly #threads = new Set<ScoringThread>()
  readonly #idle: ScoringThread[] = []
  readonly #waiting = new FairQueue<number, Task>()
  readonly #running = new Map<Task, ScoringThread>()
  #relief: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    startThread: StartThread,
    limits: ScoringLimits,
    logger: Logger,
    shared: SharedThreadData = {},
  ) {
    this.#startThread = startThread
    this.#limits = limits
    this.#logger = logger
    this.#shared = shared
  }

  /** Scores a job as soon as a thread is free; the scores are in the order of its works. */
  score({ project, batch, works }: ScoringJob): Promise<WorkScores[]> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || this.#waiting.size >= this.#limits.waitingMax) {
        reject(new PublicError('unavailable', 'too many batches are waiting to be scored'))
        return
      }
      // A view on a larger buffer would take all of that buffer along to the thread.
      const owned = { ...batch, bytes: ownedBytes(batch.bytes) }
      this.#waiting.push(project, {
        progress: new JobProgress({ project, batch: owned, works }),
        resolve,
        reject,
      })
      this.#dispatch()
    })
  }

  /** Ends all threads; jobs that are not finished are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#relief)
    for (const task of [...this.#waiting.drain(), ...this.#running.keys()]) {
      task.reject(new PublicError('unavailable', 'the service is shutting down'))
    }
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #dispatch(): void {
    while (this.#waiting.size > 0 && !this.#isClosed) {
      if (!this.#give(this.#limits.threadsMax)) break
    }
    for (const [{ progress }, { position }] of this.#running) {
      position.isWanted = this.#isOtherWaiting(progress.job.project)
    }
    if (this.#waiting.size > 0 && !this.#isClosed) this.#relief ??= setTimeout(this.#onRelief, RELIEF_MS)
  }

  readonly #onRelief = (): void => {
    this.#relief = undefined
    const busy = new Set([...this.#running.keys()].map(({ progress }) => progress.job.project))
    this.#give(this.#limits.threadsMax + 1, busy)
    this.#dispatch()
  }

  /** Gives a thread to the next task, where fewer than so many are in use; false when there is none. */
  #give(threadsMax: number, busy: ReadonlySet<number> = new Set()): boolean {
    if (this.#running.size >= threadsMax) return false
    const served = this.#waiting.shift((project) => !busy.has(project))
    if (!served) return false
    const thread = this.#idle.pop() ?? this.#start()
    if (thread instanceof Error) served.item.reject(thread)
    else void this.#work(thread, served.item)
    return true
  }

  /** Has a thread ready for who comes while all others are busy. */
  #keepSpare(): void {
    if (this.#idle.length > 0 || this.#threads.size > this.#limits.threadsMax || this.#isClosed) return
    const thread = this.#start()
    if (!(thread instanceof Error)) this.#idle.push(thread)
  }

  #isOtherWaiting(project: number): boolean {
    for (const each of this.#waiting.keys) if (each !== project) return true
    return false
  }

  #start(): ScoringThread | Error {
    const position = new ScoringPosition()
    const data: ThreadData = {
      position: position.memory,
      ...this.#shared,
    }
    try {
      const worker = this.#startThread(import.meta.url, 'scoring-thread', data, this.#limits)
      return this.#remember({ worker, position, isLoaded: false })
    } catch (error) {
      return new Error('a scoring thread cannot be started', { cause: error })
    }
  }

  #remember(thread: ScoringThread): ScoringThread {
    this.#threads.add(thread)
    thread.worker.on('message', (message) => {
      if (message === 'ready') thread.isLoaded = true
    })
    // Also one that has no job at the moment may fail; without a listener that would end the whole service.
    thread.worker.on('error', (error) => {
      this.#forget(thread)
      this.#logger.error({ err: error }, 'a scoring thread failed')
    })
    thread.worker.once('exit', () => this.#forget(thread))
    return thread
  }

  #forget(thread: ScoringThread): void {
    this.#threads.delete(thread)
    const at = this.#idle.indexOf(thread)
    if (at >= 0) this.#idle.splice(at, 1)
  }

  async #work(thread: ScoringThread, task: Task): Promise<void> {
    const { project } = task.progress.job
    const begunMs = performance.now()
    this.#running.set(task, thread)
    thread.position.isWanted = this.#isOtherWaiting(project)
    this.#waiting.charge(project, SLICE_MS)
    // Loading does not count: on a busy machine it takes longer than most jobs, and says nothing about this one.
    let spare: NodeJS.Timeout | undefined
    const watch = () => {
      spare ??= setTimeout(() => this.#keepSpare(), RELIEF_MS)
    }
    if (thread.isLoaded) watch()
    else thread.worker.once('message', watch)
    const ending = await runInThread(thread, task.progress, this.#limits.unitMsMax, this.#logger)
    this.#running.delete(task)
    thread.worker.off('message', watch)
    clearTimeout(spare)
    clearTimeout(this.#relief)
    this.#relief = undefined
    this.#waiting.charge(project, performance.now() - begunMs - SLICE_MS)
    if (ending.kind === 'done' || ending.kind === 'paused') this.#idle.push(thread)
    else {
      this.#forget(thread)
      void thread.worker.terminate()
    }
    if (!this.#isClosed) this.#settle(task, ending)
    this.#dispatch()
  }

  #settle(task: Task, ending: RunEnding): void {
    const { job } = task.progress
    if (ending.kind === 'done') {
      task.resolve(this.#logged(task.progress))
      return
    }
    if (ending.kind === 'paused') {
      this.#waiting.unshift(job.project, task)
      return
    }
    this.#logger.warn({ batch: job.batch.batchId, ...ending.loss }, 'a scoring thread was lost')
    if (ending.kind === 'go on') this.#waiting.unshift(job.project, task)
    else task.reject(new Error('a scoring thread was lost', { cause: ending.cause }))
  }

  #logged({ job, scores }: JobProgress): WorkScores[] {
    for (const [at, { lost, lossReason }] of scores.entries()) {
      if (lost === 0) continue
      const monitorVersion = job.works[at]?.version.number
      const fields = { batch: job.batch.batchId, monitorVersion, lost, reason: lossReason }
      this.#logger.error(fields, 'spans that were to be scored are not in their batch')
    }
    return scores
  }
}
