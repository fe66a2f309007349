import type { Worker } from 'node:worker_threads'

interface Waiting<Outcome> {
  readonly onOutcome: ((outcome: Outcome) => void) | undefined
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * The outside of a thread that has many calls in hand at once: calls go in, promises come back. Outcomes come alone or several
 * in one message, in any order.
 */
export class ThreadClient<Call extends object, Outcome extends { readonly id: number }> {
  readonly #worker: Worker
  readonly #read: (outcome: Outcome) => unknown
  readonly #waiting = new Map<number, Waiting<Outcome>>()
  readonly #ended: Promise<void>
  #nextId = 1
  /** Set once the thread is gone or going; every later call is refused with it. */
  #refusal: Error | undefined

  /** `read` takes the value out of an outcome, or throws what the call is rejected with. */
  constructor(worker: Worker, read: (outcome: Outcome) => unknown) {
    this.#worker = worker
    this.#read = read
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()))
    worker.on('message', (said: Outcome | readonly Outcome[] | 'ready') => {
      if (said === 'ready') return
      for (const outcome of Array.isArray(said) ? said : [said]) this.#settle(outcome)
    })
  }

  /** Calls that are not answered. */
  get pending(): number {
    return this.#waiting.size
  }

  /** Gives the thread a call; the memory in `transfer` is its own from then on. `onOutcome` comes before the promise. */
  call(
    call: Omit<Call, 'id'>,
    transfer: readonly ArrayBuffer[] = [],
    onOutcome?: (outcome: Outcome) => void,
  ): Promise<unknown> {
    if (this.#refusal) return Promise.reject(this.#refusal)
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#worker.postMessage({ ...call, id }, transfer)
      this.#waiting.set(id, { onOutcome, resolve, reject })
    })
  }

  /** The call that has waited longest. */
  get oldest(): number | undefined {
    return this.#waiting.keys().next().value
  }

  /** Refuses every later call, and rejects those that are in the thread, each with an error of its own where they differ. */
  lose(refusal: Error, errorOf: (id: number) => Error = () => refusal): void {
    this.#refusal ??= refusal
    for (const [id, { reject }] of this.#waiting) reject(errorOf(id))
    this.#waiting.clear()
  }

  /** Refuses every later call. The thread answers those that it has, and then ends by itself when it hears the message. */
  async finish(message: unknown, refusal: Error): Promise<void> {
    if (!this.#refusal) {
      this.#refusal = refusal
      this.#worker.postMessage(message)
    }
    await this.#ended
  }

  /** Ends the thread at once. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #settle(outcome: Outcome): void {
    const waiting = this.#waiting.get(outcome.id)
    this.#waiting.delete(outcome.id)
    if (!waiting) return
    waiting.onOutcome?.(outcome)
    try {
      waiting.resolve(this.#read(outcome))
    } catch (error) {
      waiting.reject(error as Error)
    }
  }
}
