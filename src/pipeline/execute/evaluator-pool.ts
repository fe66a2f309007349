import type { EvaluatorAnswer } from '../../evaluators/kit/execute-evaluator.ts'
import { FairRoom } from '../../lib/fair-room.ts'
import { PublicError, type PublicErrorKind } from '../../lib/public-error.ts'
import { FairLane, type LaneTask, type RunEnd } from '../../lib/threads/fair-lane.ts'
import { callThread, isOutOfMemory } from '../../lib/threads/thread-call.ts'
import type { PooledThread, ThreadPool } from '../../lib/threads/thread-pool.ts'

/** One call on its way to a thread. */
export interface ThreadCall {
  readonly slug: string
  /** JSON text of `{input, config?}`. */
  readonly body: Uint8Array
  /** The judge of a judged evaluator that asks no provider. */
  readonly judge?: 'embedded' | 'nobody'
}

/** The answer of a thread: the output, a refusal that the client may read, or a fault of ours. */
export type ThreadAnswer =
  | { readonly answer: EvaluatorAnswer }
  | {
      readonly refusal: { readonly kind: PublicErrorKind; readonly message: string }
      /** The thread cannot be trusted any more: it gets no further call. */
      readonly isLast?: true
    }
  | { readonly fault: Error }

/** For whom a call is run, and how. */
export interface CallOptions {
  /** Tenants take turns. */
  readonly tenant: string
  /** The call is dropped without being run when this aborts before a thread is free. */
  readonly signal?: AbortSignal
  /** Longest time that this call may run, where it is less than any call may. */
  readonly budgetMs?: number
}

/** How much calls may use. */
export interface PoolLimits {
  /** Threads at the same time; as many again are used when none of these becomes free while another tenant waits. */
  readonly threadsMax: number
  /** Longest time a call may run, not counting its wait for a thread. */
  readonly callMsMax: number
  /** Calls that may wait for a thread; one more is refused, unless its tenant has less than its share waiting. */
  readonly waitingMax: number
  /** Bytes of all waiting calls together, in the same way. */
  readonly waitingBytesMax: number
  /** Longest time a call may wait for a thread. */
  readonly waitMsMax: number
}

/** When no thread has become free for so long while a tenant waits that runs nothing, it gets a thread of its own. */
const RELIEF_MS = 100
/** The cost of a call before its time is known, in milliseconds. */
const START_COST = 1

/**
 * Evaluates calls in threads, one each at a time, so that no input can hold up the event loop. Tenants take turns by the time
 * that their calls have run. A call that runs over its time is ended with its thread, and the next call gets a new one.
 */
export class EvaluatorPool {
  readonly #limits: PoolLimits
  readonly #lane: FairLane<string, unknown>
  readonly #room: FairRoom<string>
  readonly #byteRoom: FairRoom<string>

  constructor(threads: ThreadPool, limits: PoolLimits) {
    this.#limits = limits
    this.#lane = new FairLane(threads, {
      threadsMax: limits.threadsMax,
      reliefThreadsMax: 2 * limits.threadsMax,
      reliefMs: RELIEF_MS,
      startCost: START_COST,
    })
    this.#room = new FairRoom(limits.waitingMax)
    this.#byteRoom = new FairRoom(limits.waitingBytesMax)
  }

  /** Runs a call as soon as a thread is free and it is its tenant's turn. */
  run(call: ThreadCall, { tenant, signal, budgetMs }: CallOptions): Promise<EvaluatorAnswer> {
    return new Promise((resolve, reject) => {
      const bytes = call.body.length
      if (this.#lane.isClosed || !this.#room.has(tenant, 1) || !this.#byteRoom.has(tenant, bytes)) {
        reject(new PublicError('unavailable', 'too many evaluations are waiting; try again'))
        return
      }
      const giveUp = () => {
        if (this.#lane.remove(task))
          task.refuse(new PublicError('unavailable', 'no thread was free in time; try again'))
      }
      const timer = setTimeout(giveUp, this.#limits.waitMsMax)
      signal?.addEventListener('abort', giveUp)
      let isWaiting = true
      const stopWaiting = () => {
        if (!isWaiting) return
        isWaiting = false
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        this.#room.leave(tenant, 1)
        this.#byteRoom.leave(tenant, bytes)
      }
      const callMsMax = Math.min(budgetMs ?? this.#limits.callMsMax, this.#limits.callMsMax)
      const task: LaneTask<string, unknown> = {
        key: tenant,
        onTurn: stopWaiting,
        run: (thread) => runCall(thread, call, callMsMax, resolve, reject),
        refuse(error) {
          stopWaiting()
          reject(error)
        },
      }
      this.#room.take(tenant, 1)
      this.#byteRoom.take(tenant, bytes)
      this.#lane.push(task)
    })
  }

  /** Refuses what waits and what runs. */
  close(): void {
    this.#lane.close(new PublicError('unavailable', 'the service is shutting down'))
  }
}

async function runCall(
  thread: PooledThread,
  call: ThreadCall,
  callMsMax: number,
  resolve: (answer: EvaluatorAnswer) => void,
  reject: (error: Error) => void,
): Promise<RunEnd> {
  const end = await callThread<ThreadAnswer>(thread, call, callMsMax)
  if ('lost' in end) {
    reject(lostError(end.lost))
    return { thread: 'lost' }
  }
  if ('lateMs' in end) {
    reject(new PublicError('deadline', `the evaluation took longer than ${end.lateMs} ms`))
    return { thread: 'lost' }
  }
  const { answer } = end
  if ('answer' in answer) resolve(answer.answer)
  else if ('refusal' in answer) reject(new PublicError(answer.refusal.kind, answer.refusal.message))
  else reject(answer.fault)
  return { thread: 'isLast' in answer ? 'lost' : 'free' }
}

/** Running out of memory is the input's fault and told as such; anything else is ours. */
function lostError(cause: unknown): Error {
  if (isOutOfMemory(cause)) {
    return new PublicError('too_large', 'the input needs more memory than an evaluation may use')
  }
  return new Error('an evaluator thread ended', { cause })
}
