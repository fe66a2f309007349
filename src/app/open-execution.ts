import type { Config } from '../config.ts'
import { startThread } from '../lib/threads/start-thread.ts'
import { EvaluatorPool } from '../pipeline/execute/evaluator-pool.ts'
import { createExecuteEvaluation, type ExecuteEvaluation } from '../pipeline/execute/execute-evaluation.ts'
import { createTryEvaluation, type TryEvaluation } from '../pipeline/execute/try-evaluation.ts'
import { openEvaluationThreads } from '../pipeline/scoring/evaluation-threads.ts'
import { ScoringPool } from '../pipeline/scoring/scoring-pool.ts'
import { embeddedUseOf, type Judges, type JudgesDeps, openJudges } from './open-judges.ts'

/** Evaluations of one tenant that may wait for a thread before new ones are refused with 503; of all tenants twice as many. */
const WAITING_EVALUATIONS_MAX = 1_000
/** Bytes of them; of all tenants twice as many. */
const WAITING_BYTES_MAX = 134_217_728
/** Batches that may wait for a scoring thread; the worker takes fewer than that at a time. */
const WAITING_BATCHES_MAX = 1_000
/** Memory of one evaluator thread; an input that needs more ends the thread and not the service. */
const EVALUATOR_HEAP_MB_MAX = 512

/** Everything that runs an evaluator on a call. */
export interface Execution {
  readonly execute: ExecuteEvaluation
  readonly tryEvaluation: TryEvaluation
  readonly judges: Judges
  /** Scores what waits for no provider, in the same threads. */
  readonly scoring: ScoringPool
  close(): Promise<void>
}

/** Connects evaluators with their threads and with the judges. */
export function openExecution(config: Config, deps: JudgesDeps): Execution {
  const { storage, logger, ownModels } = deps
  const limits = {
    threadsMax: config.evaluatorThreads,
    callMsMax: config.evaluationMsMax,
    waitingMax: WAITING_EVALUATIONS_MAX,
    waitingBytesMax: WAITING_BYTES_MAX,
    waitMsMax: config.evaluationMsMax,
  }
  const threads = openEvaluationThreads(
    startThread,
    // As many as both lanes may use when they need relief.
    { threadsMax: 2 * config.evaluatorThreads + config.scoringThreads + 1, heapMbMax: EVALUATOR_HEAP_MB_MAX },
    logger,
    { ...(ownModels ? { ownModels } : {}), embeddedUse: embeddedUseOf(config) },
  )
  const pool = new EvaluatorPool(threads, limits)
  const scoring = new ScoringPool(
    threads,
    {
      threadsMax: config.scoringThreads,
      unitMsMax: config.evaluationMsMax,
      waitingMax: WAITING_BATCHES_MAX,
    },
    logger,
  )
  const judges = openJudges(config, deps)
  const execute = createExecuteEvaluation({
    storage,
    pool,
    judging: judges.pool,
    desk: judges.desk,
    hasEmbeddedJudge: config.embeddedJudge !== 'off',
  })
  return {
    execute,
    tryEvaluation: createTryEvaluation(judges.pool),
    judges,
    scoring,
    async close() {
      pool.close()
      scoring.close()
      await threads.close()
      await judges.close()
    },
  }
}
