import type { StartThread } from '../../lib/threads/start-thread.ts'
import { ThreadPool } from '../../lib/threads/thread-pool.ts'
import type { Logger } from '../../ports/logger.ts'
import { ScoringPosition } from './scoring-position.ts'
import type { SharedThreadData, ThreadData } from './serve-evaluations.ts'

/** Threads that evaluate, whatever it is. */
export type EvaluationThreads = ThreadPool<ScoringPosition>

/** How much the threads may use. */
export interface EvaluationThreadLimits {
  /** Threads that are kept at most, when one is kept ready. */
  readonly threadsMax: number
  /** Memory of one thread; what needs more ends its thread, not the process. */
  readonly heapMbMax: number
}

/** The threads in which everything is evaluated that does not wait for a provider. None of them runs yet. */
export function openEvaluationThreads(
  startThread: StartThread,
  limits: EvaluationThreadLimits,
  logger: Logger,
  shared: SharedThreadData = {},
): EvaluationThreads {
  return new ThreadPool<ScoringPosition>({
    threadsMax: limits.threadsMax,
    onFailed: (error) => logger.error({ err: error }, 'an evaluation thread failed'),
    start() {
      const position = new ScoringPosition()
      const data: ThreadData = { position: position.memory, ...shared }
      try {
        const worker = startThread(import.meta.url, 'evaluation-thread', data, limits)
        return { worker, shared: position }
      } catch (error) {
        throw new Error('an evaluation thread cannot be started', { cause: error })
      }
    },
  })
}
