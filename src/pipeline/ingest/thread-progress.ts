const STEP = 0
const CALL = 1

/** Which call a thread is at, in memory that it shares with its client: a thread that hangs or has died cannot say it. */
export class ThreadProgress {
  readonly memory: SharedArrayBuffer
  readonly #numbers: Int32Array

  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#numbers = new Int32Array(memory)
  }

  /** For the thread: begins a slice of a call. */
  enter(id: number): void {
    Atomics.store(this.#numbers, CALL, id)
    Atomics.add(this.#numbers, STEP, 1)
  }

  /** Changes with every slice. */
  get step(): number {
    return Atomics.load(this.#numbers, STEP)
  }

  /** The call of the last slice; 0 before the first. */
  get call(): number {
    return Atomics.load(this.#numbers, CALL)
  }
}
