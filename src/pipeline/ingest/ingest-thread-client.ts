import type { Worker } from 'node:worker_threads'
import { PublicError, type PublicErrorKind } from '../../domain/errors.ts'
import type { Logger } from '../../ports/logger.ts'
import type { StartThread } from '../../ports/threads.ts'
import type { BatchPacker } from './batch-packer.ts'

/** What the thread can be asked for, by name. */
export type IngestCallName = Exclude<keyof BatchPacker, symbol>
type ArgumentsOf<Name extends IngestCallName> = Parameters<BatchPacker[Name]>
type AnswerOf<Name extends IngestCallName> = ReturnType<BatchPacker[Name]>

/** One call on its way to the thread. */
export interface IngestCall {
  readonly id: number
  readonly name: IngestCallName
  readonly args: readonly unknown[]
}

/** What came of a call: a value, a refusal that the sender may read, or a fault of ours. */
export type IngestOutcome =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly refusal: { readonly kind: PublicErrorKind; readonly message: string } }
  | { readonly id: number; readonly fault: Error }

/** How much one request may use. */
export interface ThreadLimits {
  /** Memory of the thread; a request that needs more ends the thread and not the service. */
  readonly heapMbMax: number
  /** A thread that is silent for longer is given up. */
  readonly callMsMax: number
}

interface Waiting {
  resolve(value: never): void
  reject(error: Error): void
}

/** The outside of the thread that reads spans: calls go in, promises come back in the same order. */
export class IngestThreadClient {
  readonly #worker: Worker
  readonly #callMsMax: number
  // In the order of the calls, so that the first is the one that the thread works on.
  readonly #waiting = new Map<number, Waiting>()
  readonly #onLost: () => void
  #nextId = 1
  #timer: NodeJS.Timeout | undefined
  #isLost = false

  /** `onLost` is called once when the thread can take no more calls, before those in it are rejected. */
  constructor(startThread: StartThread, limits: ThreadLimits, logger: Logger, onLost: () => void) {
    this.#callMsMax = limits.callMsMax
    this.#onLost = onLost
    this.#worker = startThread(import.meta.url, 'ingest-thread', undefined, limits)
    this.#worker.on('message', (outcome: IngestOutcome) => this.#settle(outcome))
    this.#worker.on('error', (error) => {
      logger.error({ err: error }, 'the thread that reads spans failed')
      this.#lose(causeOf(error))
    })
    this.#worker.on('exit', () => this.#lose(lostError()))
  }

  /** Asks the thread; the memory in `transfer` is its own from then on. */
  call<Name extends IngestCallName>(
    name: Name,
    args: ArgumentsOf<Name>,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<AnswerOf<Name>> {
    if (this.#isLost) return Promise.reject(lostError())
    const id = this.#nextId++
    return new Promise<AnswerOf<Name>>((resolve, reject) => {
      this.#worker.postMessage({ id, name, args } satisfies IngestCall, transfer)
      this.#waiting.set(id, { resolve, reject })
      if (this.#waiting.size === 1) this.#watch()
    })
  }

  /** Ends the thread; what is still in it is rejected. */
  async close(): Promise<void> {
    this.#lose(lostError())
    await this.#worker.terminate()
  }

  #settle(outcome: IngestOutcome): void {
    const waiting = this.#waiting.get(outcome.id)
    this.#waiting.delete(outcome.id)
    this.#watch()
    if ('value' in outcome) waiting?.resolve(outcome.value as never)
    else if ('fault' in outcome) waiting?.reject(outcome.fault)
    else waiting?.reject(new PublicError(outcome.refusal.kind, outcome.refusal.message))
  }

  /** Gives the call that the thread is at its time. */
  #watch(): void {
    clearTimeout(this.#timer)
    if (this.#waiting.size === 0) return
    this.#timer = setTimeout(() => {
      this.#lose(new PublicError('deadline', `reading the request took longer than ${this.#callMsMax} ms`))
      void this.#worker.terminate()
    }, this.#callMsMax)
  }

  /** The call that the thread was at gets the cause, those behind it can be tried again. */
  #lose(cause: Error): void {
    if (this.#isLost) return
    this.#isLost = true
    clearTimeout(this.#timer)
    this.#onLost()
    let error = cause
    for (const { reject } of this.#waiting.values()) {
      reject(error)
      error = lostError()
    }
    this.#waiting.clear()
  }
}

function lostError(): PublicError {
  return new PublicError('unavailable', 'the thread that reads spans has ended; try again')
}

/** Running out of memory is the request's fault, and it would happen again. */
function causeOf(error: unknown): PublicError {
  const isOutOfMemory = (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isOutOfMemory
    ? new PublicError('too_large', 'the request needs more memory than one may use; send smaller batches')
    : lostError()
}
