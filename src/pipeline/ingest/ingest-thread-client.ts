import { PublicError, type PublicErrorKind } from '../../lib/public-error.ts'
import type { Sliced } from '../../lib/sliced.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import { isOutOfMemory } from '../../lib/threads/thread-call.ts'
import { ThreadClient } from '../../lib/threads/thread-client.ts'
import type { Logger } from '../../ports/logger.ts'
import type { BatchPacker } from './batch-packer.ts'
import { ThreadProgress } from './thread-progress.ts'

/** The calls of the thread, by name. */
export type IngestCallName = Exclude<keyof BatchPacker, symbol>
type ArgumentsOf<Name extends IngestCallName> = Parameters<BatchPacker[Name]>
type AnswerOf<Name extends IngestCallName> =
  ReturnType<BatchPacker[Name]> extends Sliced<infer Answer> ? Answer : ReturnType<BatchPacker[Name]>

/** One call on its way to the thread. */
export interface IngestCall {
  readonly id: number
  /** Projects take turns in the thread; calls of one project are done in their order. */
  readonly projectId: string
  readonly name: IngestCallName
  readonly args: readonly unknown[]
}

/** The outcome of a call: a value, a public refusal or a fault of ours; and the time it used. */
export type IngestOutcome = { readonly id: number; readonly usedMs?: number } & (
  | { readonly value: unknown }
  | { readonly refusal: { readonly kind: PublicErrorKind; readonly message: string } }
  | { readonly fault: Error }
)

/** Data that a thread starts with. */
export interface IngestThreadData {
  readonly callMsMax: number
  readonly progress: SharedArrayBuffer
}

/** How much one request may use. */
export interface ThreadLimits {
  /** Memory of the thread; a request that needs more ends the thread and not the service. */
  readonly heapMbMax: number
  /** Longest time of one request. A thread that does not get through a slice of one within it is given up. */
  readonly callMsMax: number
}

/** How often a thread is looked at within the longest time of a request. */
const LOOKS = 10

/** The outside of a thread that reads spans: calls go in, promises come back; those of one project in the same order. */
export class IngestThreadClient {
  readonly #client: ThreadClient<IngestCall, IngestOutcome>
  readonly #callMsMax: number
  readonly #progress = new ThreadProgress()
  readonly #onLost: () => void
  #timer: NodeJS.Timeout | undefined
  #step = 0
  #looks = 0
  #isLost = false

  /** `onLost` is called once when the thread can take no more calls, before those in it are rejected. */
  constructor(startThread: StartThread, limits: ThreadLimits, logger: Logger, onLost: () => void) {
    this.#callMsMax = limits.callMsMax
    this.#onLost = onLost
    const data: IngestThreadData = { callMsMax: limits.callMsMax, progress: this.#progress.memory }
    const worker = startThread(import.meta.url, 'ingest-thread', data, limits)
    this.#client = new ThreadClient(worker, outcomeValue)
    worker.on('error', (error) => {
      logger.error({ err: error }, 'the thread that reads spans failed')
      this.#lose(causeOf(error))
    })
    worker.on('exit', () => this.#lose(lostError()))
  }

  /** Asks the thread for a project; the memory in `transfer` is its own from then on. `onUsed` is told what it took. */
  call<Name extends IngestCallName>(
    projectId: string,
    name: Name,
    args: ArgumentsOf<Name>,
    transfer: readonly ArrayBuffer[] = [],
    onUsed?: (usedMs: number) => void,
  ): Promise<AnswerOf<Name>> {
    const answer = this.#client.call({ projectId, name, args }, transfer, ({ usedMs }) => {
      this.#looks = 0
      if (this.#client.pending === 0) this.#stopLooking()
      if (usedMs !== undefined) onUsed?.(usedMs)
    })
    if (this.#client.pending > 0)
      this.#timer ??= setInterval(this.#look, Math.max(1, this.#callMsMax / LOOKS))
    return answer as Promise<AnswerOf<Name>>
  }

  /** Ends the thread; what is still in it is rejected. */
  async close(): Promise<void> {
    this.#lose(lostError())
    await this.#client.terminate()
  }

  /** A thread that has not gone on since so many looks is given up; a slice has as long as a whole request. */
  readonly #look = (): void => {
    const { step } = this.#progress
    this.#looks = step === this.#step ? this.#looks + 1 : 0
    this.#step = step
    if (this.#looks < LOOKS) return
    this.#lose(new PublicError('deadline', `reading the request took longer than ${this.#callMsMax} ms`))
    void this.#client.terminate()
  }

  #stopLooking(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#looks = 0
  }

  /** The call that the thread was at gets the cause, all others can be tried again. */
  #lose(cause: Error): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#stopLooking()
    this.#onLost()
    // A thread that was lost before its first slice was at the call that came first.
    const blamed = this.#progress.call || this.#client.oldest
    this.#client.lose(lostError(), (id) => (id === blamed ? cause : lostError()))
  }
}

function outcomeValue(outcome: IngestOutcome): unknown {
  if ('value' in outcome) return outcome.value
  if ('fault' in outcome) throw outcome.fault
  throw new PublicError(outcome.refusal.kind, outcome.refusal.message)
}

function lostError(): PublicError {
  return new PublicError('unavailable', 'the thread that reads spans has ended; try again')
}

/** Running out of memory is the request's fault, and it would happen again. */
function causeOf(error: unknown): PublicError {
  return isOutOfMemory(error)
    ? new PublicError('too_large', 'the request needs more memory than one may use; send smaller batches')
    : lostError()
}
