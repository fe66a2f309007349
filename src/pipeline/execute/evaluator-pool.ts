import type { Worker } from 'node:worker_threads'
import type { EvaluatorAnswer } from '../../evaluators/kit/execute-evaluator.ts'
import { FairQueue } from '../../lib/fair-queue.ts'
import { FairRoom } from '../../lib/fair-room.ts'
import { PublicError, type PublicErrorKind } from '../../lib/public-error.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import type { Logger } from '../../ports/logger.ts'
import type { OwnModels } from '../../ports/text-classifier.ts'

/** One call on its way to a thread. */
export interface ThreadCall {
  readonly slug: string
  /** JSON text of `{input, config?}`. */
  readonly body: Uint8Array
  /** Who judges, for a judged evaluator that asks no provider. */
  readonly judge?: 'embedded' | 'nobody'
}

/** What a thread answers: the output, a refusal that the client may read, or a fault of ours. */
export type ThreadAnswer =
  | { readonly answer: EvaluatorAnswer }
  | {
      readonly refusal: { readonly kind: PublicErrorKind; readonly message: string }
      /** The thread cannot be trusted any more: it gets no further call. */
      readonly isLast?: true
    }
  | { readonly fault: Error }

/** What a thread is started with. */
export interface EvaluatorThreadData {
  readonly ownModels?: OwnModels
}

/** For whom a call is run, and how. */
export interface CallOptions {
  /** Tenants take turns. */
  readonly tenant: string
  /** The call is dropped without being run when this aborts before a thread is free. */
  readonly signal?: AbortSignal
  /** Longest time that this call may run, where it is less than any call may. */
  readonly budgetMs?: number
}

/** How much the pool may use. */
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
  /** Memory of one thread; a call that needs more ends its thread, not the process. */
  readonly heapMbMax: number
}

/** A thread that has not even loaded by then is given up; loading is not counted against the call that waits for it. */
const LOAD_MS_MAX = 180_000

/**
 * When no thread has become free for so long while a tenant waits that runs nothing, it gets a thread of its own. A call that
 * runs for so long has such a thread started, because loading one takes longer than anybody should wait.
 */
const RELIEF_MS = 100
/** The cost of a call before its time is known, in milliseconds. */
const START_COST = 1

interface Task {
  readonly tenant: string
  readonly callMsMax: number
  readonly call: ThreadCall
  /** Ends the wait when it has lasted too long or nobody wants the answer any more. */
  readonly stopWaiting: () => void
  resolve(answer: EvaluatorAnswer): void
  reject(error: Error): void
}

/**
 * Threads that evaluate, one call each at a time, so that no input can hold up the event loop. Tenants take turns by the time
 * that their calls have run. A call that runs over its time is ended with its thread, and the next call gets a new one.
 * Threads start when they are first needed.
 */
export class EvaluatorPool {
  readonly #startThread: StartThread
  readonly #limits: PoolLimits
  readonly #logger: Logger
  readonly #threadData: EvaluatorThreadData
  readonly #idle: Worker[] = []
  readonly #threads = new Set<Worker>()
  readonly #loading = new WeakSet<Worker>()
  readonly #waiting = new FairQueue<string, Task>()
  readonly #room: FairRoom<string>
  readonly #byteRoom: FairRoom<string>
  /** How many calls of each tenant run. */
  readonly #running = new Map<string, number>()
  #runningCount = 0
  #relief: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    startThread: StartThread,
    limits: PoolLimits,
    logger: Logger,
    threadData: EvaluatorThreadData = {},
  ) {
    this.#startThread = startThread
    this.#limits = limits
    this.#logger = logger
    this.#threadData = threadData
    this.#room = new FairRoom(limits.waitingMax)
    this.#byteRoom = new FairRoom(limits.waitingBytesMax)
  }

  /** Runs a call as soon as a thread is free and it is its tenant's turn. */
  run(call: ThreadCall, { tenant, signal, budgetMs }: CallOptions): Promise<EvaluatorAnswer> {
    return new Promise((resolve, reject) => {
      const bytes = call.body.length
      if (this.#isClosed || !this.#room.has(tenant, 1) || !this.#byteRoom.has(tenant, bytes)) {
        reject(new PublicError('unavailable', 'too many evaluations are waiting; try again'))
        return
      }
      const giveUp = () => this.#giveUp(task)
      const timer = setTimeout(giveUp, this.#limits.waitMsMax)
      signal?.addEventListener('abort', giveUp)
      const stopWaiting = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        this.#room.leave(tenant, 1)
        this.#byteRoom.leave(tenant, bytes)
      }
      const callMsMax = Math.min(budgetMs ?? this.#limits.callMsMax, this.#limits.callMsMax)
      const task: Task = { tenant, callMsMax, call, resolve, reject, stopWaiting }
      this.#room.take(tenant, 1)
      this.#byteRoom.take(tenant, bytes)
      this.#waiting.push(tenant, task)
      this.#dispatch()
    })
  }

  /** Ends all threads; what still waits is refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#relief)
    for (const task of this.#waiting.drain()) {
      task.stopWaiting()
      task.reject(new PublicError('unavailable', 'the service is shutting down'))
    }
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
  }

  #giveUp(task: Task): void {
    if (!this.#waiting.remove(task.tenant, task)) return
    task.stopWaiting()
    task.reject(new PublicError('unavailable', 'no thread was free in time; try again'))
  }

  #dispatch(): void {
    while (this.#give(this.#limits.threadsMax, () => true));
    if (this.#waiting.size > 0) this.#relief ??= setTimeout(this.#onRelief, RELIEF_MS)
  }

  readonly #onRelief = (): void => {
    this.#relief = undefined
    this.#give(2 * this.#limits.threadsMax, (tenant) => !this.#running.has(tenant))
    this.#dispatch()
  }

  /** Gives a thread to the next call, where fewer than so many are in use; false when there is none to give. */
  #give(threadsMax: number, mayServe: (tenant: string) => boolean): boolean {
    if (this.#runningCount >= threadsMax || this.#isClosed) return false
    const served = this.#waiting.shift(mayServe)
    if (!served) return false
    served.item.stopWaiting()
    this.#work(this.#idle.pop() ?? this.#start(), served.item)
    return true
  }

  /** Has a thread ready for who comes while all others are busy. */
  #keepSpare(): void {
    if (this.#idle.length > 0 || this.#threads.size >= 2 * this.#limits.threadsMax || this.#isClosed) return
    this.#idle.push(this.#start())
  }

  /** A call begins or ends. */
  #count(tenant: string, change: 1 | -1): void {
    this.#runningCount += change
    const running = (this.#running.get(tenant) ?? 0) + change
    if (running > 0) this.#running.set(tenant, running)
    else this.#running.delete(tenant)
  }

  #start(): Worker {
    const thread = this.#startThread(import.meta.url, 'evaluator-thread', this.#threadData, this.#limits)
    this.#threads.add(thread)
    this.#loading.add(thread)
    thread.on('message', (message) => {
      if (message === 'ready') this.#loading.delete(thread)
    })
    // Also one that has no call at the moment may fail; without a listener that would end the whole service.
    thread.on('error', (error) => {
      this.#forget(thread)
      this.#logger.error({ err: error }, 'an evaluator thread failed')
    })
    thread.once('exit', () => this.#forget(thread))
    return thread
  }

  #forget(thread: Worker): void {
    this.#threads.delete(thread)
    const at = this.#idle.indexOf(thread)
    if (at >= 0) this.#idle.splice(at, 1)
  }

  #retire(thread: Worker): void {
    this.#forget(thread)
    void thread.terminate()
  }

  #work(thread: Worker, task: Task): void {
    const { tenant, callMsMax } = task
    const begunMs = performance.now()
    this.#count(tenant, 1)
    this.#waiting.charge(tenant, START_COST)
    // Loading does not count: on a busy machine it takes longer than any call, and says nothing about this one.
    const watch = () => setTimeout(() => this.#keepSpare(), RELIEF_MS)
    let spare = this.#loading.has(thread) ? undefined : watch()
    const finish = () => {
      clearTimeout(timer)
      clearTimeout(spare)
      clearTimeout(this.#relief)
      this.#relief = undefined
      this.#count(tenant, -1)
      this.#waiting.charge(tenant, performance.now() - begunMs)
      thread.off('message', onMessage)
      thread.off('error', onLost)
      thread.off('exit', onLost)
    }
    const onMessage = (message: ThreadAnswer | 'ready') => {
      if (message === 'ready') {
        clearTimeout(timer)
        timer = setTimeout(onLate, callMsMax)
        spare ??= watch()
        return
      }
      finish()
      if ('isLast' in message) this.#retire(thread)
      else this.#idle.push(thread)
      settle(task, message)
      this.#dispatch()
    }
    const onLost = (cause: unknown) => {
      finish()
      this.#forget(thread)
      task.reject(lostError(cause))
      this.#dispatch()
    }
    const onLate = () => {
      finish()
      this.#retire(thread)
      task.reject(new PublicError('deadline', `the evaluation took longer than ${callMsMax} ms`))
      this.#dispatch()
    }
    let timer = setTimeout(onLate, this.#loading.has(thread) ? LOAD_MS_MAX : callMsMax)
    thread.on('message', onMessage)
    thread.once('error', onLost)
    thread.once('exit', onLost)
    thread.postMessage(task.call)
  }
}

/** Running out of memory is the input's fault and told as such; anything else is ours. */
function lostError(cause: unknown): Error {
  if ((cause as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new PublicError('too_large', 'the input needs more memory than an evaluation may use')
  }
  return new Error('an evaluator thread ended', { cause })
}

function settle(task: Task, message: ThreadAnswer): void {
  if ('answer' in message) task.resolve(message.answer)
  else if ('refusal' in message) task.reject(new PublicError(message.refusal.kind, message.refusal.message))
  else task.reject(message.fault)
}
