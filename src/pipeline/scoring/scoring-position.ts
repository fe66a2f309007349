import { EVERY_WORK, NO_SPAN, type ScoringPlace } from './scoring-job.ts'

const STEP = 0
const ORDINAL = 1
const WORK = 2
const BUDGET_MS = 3
const IS_WANTED = 4
const NUMBERS = 5

/**
 * Where a thread is, in memory that it shares with the pool: a thread that hangs or has died cannot say it any more. The
 * place is read only then, so that its two numbers belong together.
 */
export class ScoringPosition {
  readonly memory: SharedArrayBuffer
  readonly #numbers: Int32Array

  constructor(memory = new SharedArrayBuffer(NUMBERS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#numbers = new Int32Array(memory)
  }

  /** For the thread: begins another step, which may take so long. */
  enter(ordinal: number, work: number, budgetMs: number): void {
    Atomics.store(this.#numbers, ORDINAL, ordinal)
    Atomics.store(this.#numbers, WORK, work)
    Atomics.store(this.#numbers, BUDGET_MS, budgetMs)
    Atomics.add(this.#numbers, STEP, 1)
  }

  /** Changes with every step. */
  get step(): number {
    return Atomics.load(this.#numbers, STEP)
  }

  /** The budget of the present step; 0 before the first one. */
  get budgetMs(): number {
    return Atomics.load(this.#numbers, BUDGET_MS)
  }

  /** Whether another project waits for the thread; set by the pool, read by the thread when its slice is over. */
  get isWanted(): boolean {
    return Atomics.load(this.#numbers, IS_WANTED) === 1
  }

  set isWanted(isWanted: boolean) {
    Atomics.store(this.#numbers, IS_WANTED, Number(isWanted))
  }

  get place(): ScoringPlace {
    // A thread that has not taken a step yet has only the batch to blame.
    if (this.step === 0) return { ordinal: NO_SPAN, work: EVERY_WORK }
    return { ordinal: Atomics.load(this.#numbers, ORDINAL), work: Atomics.load(this.#numbers, WORK) }
  }
}
