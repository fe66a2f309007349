import { FairClocks } from '../lib/fair-queue.ts'
import type { Logger } from '../ports/logger.ts'
import type { ClaimTurns } from '../ports/work-storage.ts'
import { Loop } from './loop.ts'

/**
 * Places beside the common ones for projects that hold none: however long the tasks of one project take, what another one has
 * waiting is taken at once. As many other projects have to be busy before it waits for a place.
 */
export const EXTRA_PLACES = 8
/** Extra places that are filled with one claim; the last of them is never for a job. */
const EXTRA_AT_ONCE = 2
/** The cost of a task before its time is known, in milliseconds; it puts a project that was just served behind the others. */
const START_COST = 1

/** The options of a task loop. */
export interface TaskLoopOptions<Task> {
  /** For the log. */
  readonly name: string
  /** How long it waits for a wake-up when there is nothing to claim. */
  readonly pauseMs: number
  /** Tasks that are under way at the same time, besides those in extra places. */
  readonly tasksMax: number
  readonly logger: Logger
  /** The project that a task is of. */
  readonly projectOf: (task: Task) => number
  /** Takes at most that many tasks; none when there is nothing to do. */
  readonly claim: (free: number, turns: ClaimTurns) => Promise<readonly Task[]>
  /** Does one task; never rejects. */
  readonly run: (task: Task) => Promise<void>
}

/**
 * Claims tasks and has several of them under way: as soon as one ends, the next is claimed. Projects take turns by the time
 * for which their tasks have held places.
 */
export class TaskLoop<Task> {
  readonly #options: TaskLoopOptions<Task>
  readonly #loop: Loop
  readonly #running = new Map<Promise<void>, number>()
  readonly #clocks = new FairClocks<number>()

  constructor(options: TaskLoopOptions<Task>) {
    this.#options = options
    const { name, pauseMs, logger } = options
    this.#loop = new Loop({ name, pauseMs, logger, step: () => this.#step() })
  }

  start(): void {
    this.#loop.start()
  }

  wake(): void {
    this.#loop.wake()
  }

  /** Whether a task is under way. */
  get isBusy(): boolean {
    return this.#running.size > 0
  }

  /** Claims nothing new and waits for what is under way. */
  async close(): Promise<void> {
    await this.#loop.close()
    await Promise.all(this.#running.keys())
  }

  /** Fills the free places; true when the next look should follow at once. */
  async #step(): Promise<boolean> {
    const { tasksMax, claim } = this.#options
    const { ahead } = this.#clocks
    const free = tasksMax - this.#running.size
    const extra = free + EXTRA_PLACES
    if (extra <= 0) {
      await Promise.race(this.#running.keys())
      return true
    }
    const claimed =
      free > 0
        ? await claim(free, { ahead, resting: [] })
        : await claim(Math.min(extra, EXTRA_AT_ONCE), {
            ahead,
            resting: [...new Set(this.#running.values())],
          })
    for (const task of claimed) this.#begin(task)
    return claimed.length > 0
  }

  #begin(task: Task): void {
    const { run, projectOf } = this.#options
    const project = projectOf(task)
    const begunMs = performance.now()
    this.#clocks.begin(project)
    this.#clocks.charge(project, START_COST)
    const running = run(task).finally(() => {
      this.#running.delete(running)
      this.#clocks.charge(project, performance.now() - begunMs)
      // A place is free again, and more may be waiting for it.
      this.#loop.wake()
    })
    this.#running.set(running, project)
  }
}
