import { PublicError } from '../domain/errors.ts'

/** Something that the process cannot do without; resolves when it answers. */
export interface Needed {
  ping(): Promise<void>
}

/** Whether a process should be sent requests. */
export class Readiness {
  readonly #needed: readonly Needed[]
  #isLeaving = false

  constructor(needed: readonly Needed[]) {
    this.#needed = needed
  }

  /** From now on it says that it is going, though it still serves. */
  leave(): void {
    this.#isLeaving = true
  }

  /** Resolves when the process is ready; rejects with the reason when it is not. */
  async check(): Promise<void> {
    if (this.#isLeaving) throw new PublicError('unavailable', 'the process is shutting down')
    await Promise.all(this.#needed.map((each) => each.ping()))
  }
}
