import type { Worker } from 'node:worker_threads'
import { PublicError, type PublicErrorKind } from '../domain/errors.ts'
import type { EvaluatorAnswer } from '../evaluators/kit/execute-evaluator.ts'
import type { Logger } from '../ports/logger.ts'
import type { OwnModels } from '../ports/text-classifier.ts'
import type { StartThread } from '../ports/threads.ts'

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

/** How much the pool may use. */
export interface PoolLimits {
  readonly threadsMax: number
  /** Longest time a call may run, not counting its wait for a thread. */
  readonly callMsMax: number
  /** Calls that may wait for a thread; one more is refused. */
  readonly waitingMax: number
  /** Bytes of all waiting calls together; beyond them a call is refused. */
  readonly waitingBytesMax: number
  /** Longest time a call may wait for a thread. */
  readonly waitMsMax: number
  /** Memory of one thread; a call that needs more ends its thread, not the process. */
  readonly heapMbMax: number
}

/** A thread that has not even loaded by then is given up; loading is not counted against the call that waits for it. */
const LOAD_MS_MAX = 180_000

interface Task {
  readonly call: ThreadCall
  /** Ends the wait when it has lasted too long or nobody wants the answer any more. */
  readonly stopWaiting: () => void
  resolve(answer: EvaluatorAnswer): void
  reject(error: Error): void
}

/**
 * Threads that evaluate, one call each at a time, so that no input can hold up the event loop. A call that runs over its
 * time is ended with its thread, and the next call gets a new one. Threads start when they are first needed.
 */
export class EvaluatorPool {
  readonly #startThread: StartThread
  readonly #limits: PoolLimits
  readonly #logger: Logger
  readonly #threadData: EvaluatorThreadData
  readonly #idle: Worker[] = []
  readonly #threads = new Set<Worker>()
  readonly #loading = new WeakSet<Worker>()
  readonly #waiting: Task[] = []
  #waitingBytes = 0
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
  }

  /** Runs a call as soon as a thread is free. When `signal` aborts first, the call is dropped without being run. */
  run(call: ThreadCall, signal?: AbortSignal): Promise<EvaluatorAnswer> {
    return new Promise((resolve, reject) => {
      const { waitingMax, waitingBytesMax, waitMsMax } = this.#limits
      const isFull =
        this.#waiting.length >= waitingMax || this.#waitingBytes + call.body.length > waitingBytesMax
      if (this.#isClosed || (isFull && this.#waiting.length > 0)) {
        reject(new PublicError('unavailable', 'too many evaluations are waiting; try again'))
        return
      }
      const giveUp = () => this.#giveUp(task)
      const timer = setTimeout(giveUp, waitMsMax)
      signal?.addEventListener('abort', giveUp)
      const stopWaiting = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        this.#waitingBytes -= call.body.length
      }
      const task: Task = { call, resolve, reject, stopWaiting }
      this.#waitingBytes += call.body.length
      this.#waiting.push(task)
      this.#dispatch()
    })
  }

  /** Ends all threads; what still waits is refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const task of this.#waiting.splice(0)) {
      task.stopWaiting()
      task.reject(new PublicError('unavailable', 'the service is shutting down'))
    }
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
  }

  #giveUp(task: Task): void {
    const at = this.#waiting.indexOf(task)
    if (at < 0) return
    this.#waiting.splice(at, 1)
    task.stopWaiting()
    task.reject(new PublicError('unavailable', 'no thread was free in time; try again'))
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop() ?? this.#start()
      const task = thread && this.#waiting.shift()
      if (!thread || !task) return
      task.stopWaiting()
      this.#work(thread, task)
    }
  }

  #start(): Worker | undefined {
    if (this.#threads.size >= this.#limits.threadsMax) return undefined
    const thread = this.#startThread(import.meta.url, 'evaluator-thread', this.#threadData, this.#limits)
    this.#threads.add(thread)
    this.#loading.add(thread)
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
    const finish = () => {
      clearTimeout(timer)
      thread.off('message', onMessage)
      thread.off('error', onLost)
      thread.off('exit', onLost)
    }
    const onMessage = (message: ThreadAnswer | 'ready') => {
      if (message === 'ready') {
        this.#loading.delete(thread)
        clearTimeout(timer)
        timer = setTimeout(onLate, this.#limits.callMsMax)
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
      task.reject(new PublicError('deadline', `the evaluation took longer than ${this.#limits.callMsMax} ms`))
      this.#dispatch()
    }
    let timer = setTimeout(onLate, this.#loading.has(thread) ? LOAD_MS_MAX : this.#limits.callMsMax)
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
