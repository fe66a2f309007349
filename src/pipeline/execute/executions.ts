import { notFound } from '../../domain/errors.ts'
import type { Principal } from '../../domain/tenant.ts'
import { FairRoom } from '../../lib/fair-room.ts'
import { PublicError, type PublicErrorKind } from '../../lib/public-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ExecutionLimits, ExecutionStorage } from '../../ports/execution-storage.ts'
import type { IdSource } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { EvaluationAnswer, EvaluationCall, ExecuteEvaluation } from './execute-evaluation.ts'

/** Executions of one project that may be without an outcome at the same time, and the characters of their calls. */
const OPEN_LIMITS: ExecutionLimits = { openMax: 1_000, openCharsMax: 33_554_432 }
/** Executions that are run before they are fetched, shared fairly by projects; what comes on top of these is run when it is fetched. */
const RUN_AHEAD_MAX = 64

/** Errors that would be the same if the execution were run again. All others are told and not kept. */
const LASTING_ERRORS: readonly PublicErrorKind[] = ['invalid_input', 'no_verdict', 'too_large']

type Outcome = { readonly answer: EvaluationAnswer } | { readonly error: unknown }
type StoredOutcome =
  | { readonly answer: EvaluationAnswer }
  | { readonly error: { readonly kind: PublicErrorKind; readonly message: string } }

/** The dependencies of executions. */
export interface ExecutionsDeps {
  readonly storage: ExecutionStorage
  readonly clock: Clock
  readonly ids: IdSource
  readonly logger: Logger
  readonly execute: ExecuteEvaluation
}

/**
 * Calls that are accepted first and whose answer is fetched afterwards. An accepted call is stored before its id is told,
 * so that it survives a restart: fetching one that is not running runs it (again). An answer, once there, stays.
 */
export class Executions {
  readonly #deps: ExecutionsDeps
  readonly #running = new Map<string, { readonly projectId: string; readonly outcome: Promise<Outcome> }>()
  readonly #ahead = new FairRoom<string>(RUN_AHEAD_MAX)
  readonly #closing = new AbortController()

  constructor(deps: ExecutionsDeps) {
    this.#deps = deps
  }

  /** Accepts a call of an evaluator, given by id, and tells the id of the execution. */
  async start(who: Principal, evaluatorId: string, call: EvaluationCall): Promise<string> {
    const { storage, clock, ids } = this.#deps
    const id = ids.newId()
    const execution = { id, evaluatorId, call: JSON.stringify(call), atMs: clock.nowMs() }
    if ((await storage.createExecution(who, execution, OPEN_LIMITS)) === 'full') {
      throw new PublicError('overloaded', 'too many executions of the project are waiting for their outcome')
    }
    if (this.#ahead.has(who.projectId, 1)) void this.#run(who, id, evaluatorId, call)
    return id
  }

  /** Waits for the answer of an execution of the caller's project. Throws what the evaluation threw. */
  async fetch(who: Principal, id: string): Promise<EvaluationAnswer> {
    const outcome = await (this.#runningOf(who, id) ?? this.#fromStorage(who, id))
    if ('error' in outcome) throw outcome.error
    return outcome.answer
  }

  /** Ends what is running; it is run again when it is fetched after the next start. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#running.values()].map(({ outcome }) => outcome))
  }

  #runningOf(who: Principal, id: string): Promise<Outcome> | undefined {
    const running = this.#running.get(id)
    return running?.projectId === who.projectId ? running.outcome : undefined
  }

  async #fromStorage(who: Principal, id: string): Promise<Outcome> {
    const stored = await this.#deps.storage.getExecution(who, id, this.#deps.clock.nowMs())
    if (!stored) throw notFound('execution not found')
    if (stored.outcome !== undefined) return readOutcome(stored.outcome)
    // Another call may have begun with it while it was being read.
    return this.#runningOf(who, id) ?? this.#run(who, id, stored.evaluatorId, JSON.parse(stored.call))
  }

  #run(who: Principal, id: string, evaluatorId: string, call: EvaluationCall): Promise<Outcome> {
    this.#ahead.take(who.projectId, 1)
    const outcome = this.#evaluate(who, id, evaluatorId, call).finally(() => {
      this.#ahead.leave(who.projectId, 1)
      this.#running.delete(id)
    })
    this.#running.set(id, { projectId: who.projectId, outcome })
    return outcome
  }

  /** Never rejects: what went wrong is an outcome, and the log has the errors that no caller hears. */
  async #evaluate(who: Principal, id: string, evaluatorId: string, call: EvaluationCall): Promise<Outcome> {
    const { execute, storage, logger } = this.#deps
    try {
      const outcome = await execute(who, evaluatorId, call, this.#closing.signal).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error }),
      )
      const lasting = lastingOutcome(outcome)
      // Stored before it is answered, so that a fetched answer can be fetched again.
      if (lasting) await storage.finishExecution(who, id, JSON.stringify(lasting))
      return outcome
    } catch (error) {
      logger.error({ err: error, executionId: id }, 'the outcome of an execution was not stored')
      return { error }
    }
  }
}

function lastingOutcome(outcome: Outcome): StoredOutcome | undefined {
  if ('answer' in outcome) return outcome
  const { error } = outcome
  if (!(error instanceof PublicError) || !LASTING_ERRORS.includes(error.kind)) return undefined
  return { error: { kind: error.kind, message: error.message } }
}

function readOutcome(text: string): Outcome {
  const stored: StoredOutcome = JSON.parse(text)
  return 'answer' in stored ? stored : { error: new PublicError(stored.error.kind, stored.error.message) }
}
