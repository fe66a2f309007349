import { PublicError } from '../domain/errors.ts'
import type { Storage } from '../ports/storage.ts'

/** Whether a process should be sent requests. */
export class Readiness {
  readonly #storage: Storage
  #isLeaving = false

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** From now on it says that it is going, though it still serves. */
  leave(): void {
    this.#isLeaving = true
  }

  /** Resolves when the process is ready; rejects with the reason when it is not. */
  async check(): Promise<void> {
    if (this.#isLeaving) throw new PublicError('unavailable', 'the process is shutting down')
    await this.#storage.system.ping()
  }
}
