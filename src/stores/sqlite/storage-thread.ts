import { RefusedData } from '../../domain/errors.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import { ThreadClient } from '../../lib/threads/thread-client.ts'
import { storeUnavailable } from '../shared/store-outage.ts'
import type { Call, FailedOutcome, Outcome } from './operations.ts'
import type { ThreadRole } from './serve-sqlite.ts'

/** The outside of a storage thread. */
export class StorageThread {
  readonly #client: ThreadClient<Call, Outcome>

  private constructor(client: ThreadClient<Call, Outcome>) {
    this.#client = client
  }

  /** Resolves when the thread has opened its connection; rejects with the reason when it could not. */
  static async start(startThread: StartThread, role: ThreadRole): Promise<StorageThread> {
    const worker = startThread(import.meta.url, 'sqlite-thread', role)
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve())
      worker.once('error', reject)
    })
    const client = new ThreadClient<Call, Outcome>(worker, outcomeValue)
    worker.on('error', (error) => client.lose(error instanceof Error ? error : new Error(String(error))))
    worker.on('exit', () => client.lose(new Error('the storage thread ended')))
    return new StorageThread(client)
  }

  /** Calls that are not answered. */
  get pending(): number {
    return this.#client.pending
  }

  call(operation: string, args: readonly unknown[]): Promise<unknown> {
    return this.#client.call({ operation, args })
  }

  /** Lets the thread finish every call it was given, then ends it. */
  close(): Promise<void> {
    return this.#client.finish('close', new Error('the store is closed'))
  }
}

function outcomeValue(outcome: Outcome): unknown {
  if ('error' in outcome) throw errorOf(outcome)
  return outcome.value
}

function errorOf({ error, outage, isRefused }: FailedOutcome): Error {
  if (isRefused) return new RefusedData(error)
  return outage === undefined ? error : storeUnavailable(outage, error)
}
