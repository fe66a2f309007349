import { NOBODY_ASKED } from '../../domain/judgement.ts'
import { defined } from '../../lib/defined.ts'
import { PublicError } from '../../lib/public-error.ts'
import { FairLane, type RunEnd } from '../../lib/threads/fair-lane.ts'
import { callThread, isOutOfMemory, ThreadLost } from '../../lib/threads/thread-call.ts'
import type { ThreadPool } from '../../lib/threads/thread-pool.ts'
import type { Logger } from '../../ports/logger.ts'
import { ownedBytes } from '../ingest/owned-bytes.ts'
import type { WholeUnit } from '../judging/judging-message.ts'
import type { WholeEnding } from '../judging/judging-pool.ts'
import { JobProgress } from './job-progress.ts'
import { SLICE_MS } from './score-batch.ts'
import type { ScoringJob, WorkScores } from './scoring-job.ts'
import type { ScoringPosition } from './scoring-position.ts'
import type { WholeAnswer } from './serve-evaluations.ts'
import { type RunEnding, runInThread } from './thread-run.ts'

/** How much scoring may use. */
export interface ScoringLimits {
  readonly threadsMax: number
  /** Longest time that one span may take for one monitor. */
  readonly unitMsMax: number
  /** Jobs that may wait for a thread; one more is refused. */
  readonly waitingMax: number
}

/**
 * When no thread has become free for so long while another project waits, all of them are busy with single units: one thread
 * more is used for those who wait, and never by a project that has one already.
 */
const RELIEF_MS = 150

/**
 * Scores in threads, one job each at a time. Projects take turns by the time they have used: where another one waits, a job
 * gives its thread back after a slice and goes on when its project has its next turn. A unit that takes too long, or that its
 * thread dies of, becomes an `error` outcome; the rest of its job goes on in a new thread. A job is rejected only for what is
 * not its own fault, such as a thread that cannot be started: it may be tried again.
 */
export class ScoringPool {
  readonly #limits: ScoringLimits
  readonly #logger: Logger
  readonly #lane: FairLane<number, ScoringPosition>

  constructor(threads: ThreadPool<ScoringPosition>, limits: ScoringLimits, logger: Logger) {
    this.#limits = limits
    this.#logger = logger
    this.#lane = new FairLane(threads, {
      threadsMax: limits.threadsMax,
      reliefThreadsMax: limits.threadsMax + 1,
      reliefMs: RELIEF_MS,
      startCost: SLICE_MS,
      want({ shared: position }, isWanted) {
        position.isWanted = isWanted
      },
    })
  }

  /** Scores a job as soon as a thread is free; the scores are in the order of its works. */
  score(job: ScoringJob): Promise<WorkScores[]> {
    const { project, batch } = job
    return new Promise((resolve, reject) => {
      if (this.#lane.isClosed || this.#lane.waitingCount >= this.#limits.waitingMax) {
        reject(new PublicError('unavailable', 'too many batches are waiting to be scored'))
        return
      }
      // A view on a larger buffer would take all of that buffer along to the thread.
      const owned = { ...batch, bytes: ownedBytes(batch.bytes) }
      const progress = new JobProgress({ ...job, batch: owned })
      this.#lane.push({
        key: project,
        refuse: reject,
        run: async (thread) => {
          const ending = await runInThread(thread, progress, this.#limits.unitMsMax, this.#logger)
          return this.#settle(progress, ending, resolve, reject)
        },
      })
    })
  }

  /** Evaluates a trace or a session as a whole, with an evaluator that asks no provider. Rejects with `ThreadLost` where the unit may be to blame. */
  scoreWhole(project: number, unit: WholeUnit): Promise<WholeEnding> {
    return new Promise((resolve, reject) => {
      if (this.#lane.isClosed) {
        reject(new PublicError('unavailable', 'the service is shutting down'))
        return
      }
      const parts = unit.parts.map(({ batch, ordinals }) => ({
        batch: { ...batch, bytes: ownedBytes(batch.bytes) },
        ordinals,
      }))
      this.#lane.push({
        key: project,
        refuse: reject,
        run: async (thread) => {
          const end = await callThread<WholeAnswer>(
            thread,
            { whole: { ...unit, parts } },
            this.#limits.unitMsMax,
          )
          if (!('answer' in end)) {
            reject(new ThreadLost(lossOf(end)))
            return { thread: 'lost' }
          }
          const { bug, isLast } = end.answer
          if (bug !== undefined)
            this.#logger.error({ slug: unit.version.slug, bug }, 'an evaluator failed on a unit')
          resolve(endingOf(end.answer))
          return { thread: isLast ? 'lost' : 'free' }
        },
      })
    })
  }

  /** Refuses jobs that are not finished. */
  close(): void {
    this.#lane.close(new PublicError('unavailable', 'the service is shutting down'))
  }

  #settle(
    progress: JobProgress,
    ending: RunEnding,
    resolve: (scores: WorkScores[]) => void,
    reject: (error: Error) => void,
  ): RunEnd {
    if (ending.kind === 'paused') return { thread: 'free', isUnfinished: true }
    if (ending.kind === 'done') {
      resolve(this.#logged(progress))
      return { thread: 'free' }
    }
    if (!this.#lane.isClosed)
      this.#logger.warn({ batch: progress.job.batch.batchId, ...ending.loss }, 'a scoring thread was lost')
    if (ending.kind === 'go on') return { thread: 'lost', isUnfinished: true }
    reject(new Error('a scoring thread was lost', { cause: ending.cause }))
    return { thread: 'lost' }
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

function endingOf({ ending, evidence }: WholeAnswer): WholeEnding {
  if (!('outcome' in ending)) return ending
  const judgement = { ...NOBODY_ASKED, ...defined({ evidence }) }
  return { outcome: { ...ending.outcome, judgement } }
}

function lossOf(end: { readonly lost: unknown } | { readonly lateMs: number }): string {
  if ('lateMs' in end) return `it took longer than ${end.lateMs} ms`
  return isOutOfMemory(end.lost) ? 'it needs more memory than an evaluation may use' : 'it ended'
}
