import { EVERY_WORK, NO_SPAN, type ScoringPlace } from './scoring-job.ts'

const STEP = 0
const ORDINAL = 1
const WORK = 2

/**
 * Where a thread is, in memory that it shares with the pool: a thread that hangs or has died cannot say it any more. The
 * place is read only then, so that its two numbers belong together.
 */
export class ScoringPosition {
  readonly memory: SharedArrayBuffer
  readonly #numbers: Int32Array

  constructor(memory = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#numbers = new Int32Array(memory)
  }

  /** For the thread: begins another step. */
  enter(ordinal: number, work: number): void {
    Atomics.store(this.#numbers, ORDINAL, ordinal)
    Atomics.store(this.#numbers, WORK, work)
    Atomics.add(this.#numbers, STEP, 1)
  }

  /** Changes with every step. */
  get step(): number {
    return Atomics.load(this.#numbers, STEP)
  }

  get place(): ScoringPlace {
    // A thread that has not taken a step yet has only the batch to blame.
    if (this.step === 0) return { ordinal: NO_SPAN, work: EVERY_WORK }
    return { ordinal: Atomics.load(this.#numbers, ORDINAL), work: Atomics.load(this.#numbers, WORK) }
  }
}
