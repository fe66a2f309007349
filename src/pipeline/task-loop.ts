import type { Logger } from '../ports/logger.ts'
import { Loop } from './loop.ts'

/** What a task loop is made of. */
export interface TaskLoopOptions<Task> {
  /** For the log. */
  readonly name: string
  /** How long it waits for a wake-up when there is nothing to claim. */
  readonly pauseMs: number
  /** Tasks that are under way at the same time. */
  readonly tasksMax: number
  readonly logger: Logger
  /** Takes at most that many tasks; none when there is nothing to do. */
  readonly claim: (free: number) => Promise<readonly Task[]>
  /** Does one task; never rejects. */
  readonly run: (task: Task) => Promise<void>
}

/** Claims tasks and has several of them under way: as soon as one ends, the next is claimed. */
export class TaskLoop<Task> {
  readonly #options: TaskLoopOptions<Task>
  readonly #loop: Loop
  readonly #running = new Set<Promise<void>>()

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
    await Promise.all(this.#running)
  }

  /** Fills the free places; true when the next look should follow at once. */
  async #step(): Promise<boolean> {
    const { tasksMax, claim } = this.#options
    if (this.#running.size >= tasksMax) {
      await Promise.race(this.#running)
      return true
    }
    const claimed = await claim(tasksMax - this.#running.size)
    for (const task of claimed) this.#begin(task)
    return claimed.length > 0
  }

  #begin(task: Task): void {
    const running = this.#options.run(task).finally(() => {
      this.#running.delete(running)
      // A place is free again, and more may be waiting for it.
      this.#loop.wake()
    })
    this.#running.add(running)
  }
}
