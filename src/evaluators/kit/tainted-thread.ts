import { PublicError } from '../../lib/public-error.ts'

/**
 * Bad input that has also left this thread in a state that cannot be trusted, such as a WebAssembly module whose stack
 * overflowed. The client is told like of any bad input; the thread is not used again.
 */
export class TaintedThread extends PublicError {
  constructor(detail: string) {
    super('invalid_input', `invalid input: ${detail}`)
    this.name = 'TaintedThread'
  }
}
