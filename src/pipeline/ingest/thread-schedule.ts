import { FairQueue } from '../../lib/fair-queue.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { Sliced } from '../../lib/sliced.ts'

/** One call while it waits for its turns. */
export interface SlicedCall {
  readonly id: number
  /** Its project. Calls of one project run one after the other, so each finds the setups that earlier calls left. */
  readonly projectId: string
  /** Begins with the work; a result that is not sliced is there at once. */
  begin(): unknown
  /** Called once, with what came of it and the time it has used. */
  end(outcome: { readonly value: unknown } | { readonly error: unknown }, usedMs: number): void
}

interface Run {
  readonly call: SlicedCall
  work: Sliced<unknown> | undefined
  usedMs: number
}

/** Options of a schedule. */
export interface ScheduleOptions {
  /** Longest time that a call may use, all its slices together. */
  readonly callMsMax: number
  /** Told before each slice which call it is of. */
  readonly onSlice: (id: number) => void
  /** Milliseconds of processor time that the thread has used. */
  readonly now: () => number
  /** Calls back when whatever else waits in the thread had its turn. */
  readonly later: (next: () => void) => void
}

/**
 * Does the calls of a thread in slices. Projects take turns by the time they have used, so that a large request, or many, of one
 * project hold up a request of another for a slice and not for as long as they take.
 */
export class ThreadSchedule {
  readonly #options: ScheduleOptions
  readonly #waiting = new FairQueue<string, Run>()
  #isRunning = false

  constructor(options: ScheduleOptions) {
    this.#options = options
  }

  add(call: SlicedCall): void {
    this.#waiting.push(call.projectId, { call, work: undefined, usedMs: 0 })
    if (this.#isRunning) return
    this.#isRunning = true
    this.#turn()
  }

  readonly #turn = (): void => {
    const served = this.#waiting.shift()
    if (served) this.#slice(served.item)
    if (this.#waiting.size > 0) this.#options.later(this.#turn)
    else this.#isRunning = false
  }

  #slice(run: Run): void {
    const { call } = run
    this.#options.onSlice(call.id)
    const begunMs = this.#options.now()
    const outcome = this.#step(run)
    const tookMs = this.#options.now() - begunMs
    run.usedMs += tookMs
    this.#waiting.charge(call.projectId, tookMs)
    if (outcome) call.end(outcome, run.usedMs)
    else this.#waiting.unshift(call.projectId, run)
  }

  #step(run: Run): { value: unknown } | { error: unknown } | undefined {
    const { callMsMax } = this.#options
    try {
      if (run.usedMs > callMsMax)
        throw new PublicError('deadline', `reading the request took longer than ${callMsMax} ms`)
      if (!run.work) {
        const begun = run.call.begin()
        if (!isSliced(begun)) return { value: begun }
        run.work = begun
      }
      const step = run.work.next()
      return step.done ? { value: step.value } : undefined
    } catch (error) {
      return { error }
    }
  }
}

function isSliced(value: unknown): value is Sliced<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value
}
