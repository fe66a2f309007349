import type { Worker } from 'node:worker_threads'
import { RefusedData } from '../../domain/errors.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import { storeUnavailable } from '../shared/store-outage.ts'
import type { Call, FailedOutcome, Outcome } from './operations.ts'
import type { ThreadRole } from './serve-sqlite.ts'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** The outside of a storage thread: calls go in, promises come back. */
export class ThreadClient {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #ended: Promise<void>
  #nextId = 1
  /** Set once the thread is gone or going; every later call is refused with it. */
  #refusal: Error | undefined

  private constructor(worker: Worker) {
    this.#worker = worker
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()))
  }

  /** Resolves when the thread has opened its connection; rejects with the reason when it could not. */
  static async start(startThread: StartThread, role: ThreadRole): Promise<ThreadClient> {
    const worker = startThread(import.meta.url, 'sqlite-thread', role)
    const client = new ThreadClient(worker)
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve())
      worker.once('error', reject)
    })
    worker.on('message', (outcomes: Outcome[]) => client.#settle(outcomes))
    worker.on('error', (error) => client.#fail(error instanceof Error ? error : new Error(String(error))))
    worker.on('exit', () => client.#fail(new Error('the storage thread ended')))
    return client
  }

  get pending(): number {
    return this.#waiting.size
  }

  call(operation: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#refusal) return Promise.reject(this.#refusal)
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ id, operation, args } satisfies Call)
    })
  }

  /** Lets the thread finish every call it was given, then ends it. */
  async close(): Promise<void> {
    if (!this.#refusal) {
      this.#refusal = new Error('the store is closed')
      this.#worker.postMessage('close')
    }
    await this.#ended
  }

  #settle(outcomes: Outcome[]): void {
    for (const outcome of outcomes) {
      const waiting = this.#waiting.get(outcome.id)
      this.#waiting.delete(outcome.id)
      if ('error' in outcome) waiting?.reject(errorOf(outcome))
      else waiting?.resolve(outcome.value)
    }
  }

  #fail(error: Error): void {
    this.#refusal ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

function errorOf({ error, outage, isRefused }: FailedOutcome): Error {
  if (isRefused) return new RefusedData(error)
  return outage === undefined ? error : storeUnavailable(outage, error)
}
