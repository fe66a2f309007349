import type { Logger } from '../ports/logger.ts'

/** After a fault a loop waits this long, so that an outage is not met with a flood of attempts. */
const FAULT_PAUSE_MS = 1_000

/** The options of a loop. */
export interface LoopOptions {
  /** For the log. */
  readonly name: string
  /** Does some work; true when there is more to be done at once. */
  readonly step: () => Promise<boolean>
  /** How long it waits for a wake-up when there is nothing to do. A hint can get lost; the next look finds it. */
  readonly pauseMs: number
  readonly logger: Logger
}

/**
 * Runs a step over and over, never twice at the same time: at once while there is more, otherwise when it is woken or
 * after a pause. A step that throws is logged and tried again; a loop ends only when it is closed.
 */
export class Loop {
  readonly #options: LoopOptions
  #isClosed = false
  #isWoken = false
  #running: Promise<void> | undefined
  #wakeUp = () => {}

  constructor(options: LoopOptions) {
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** There is something to do; may be called at any time and any number of times. */
  wake(): void {
    this.#isWoken = true
    this.#wakeUp()
  }

  /** Lets the step under way finish, then ends. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#wakeUp()
    await this.#running
  }

  async #run(): Promise<void> {
    const { name, step, pauseMs, logger } = this.#options
    while (!this.#isClosed) {
      this.#isWoken = false
      try {
        if (await step()) continue
        if (!this.#isWoken) await this.#pause(pauseMs)
      } catch (error) {
        if (this.#isClosed) return
        logger.error({ err: error, loop: name }, 'a background step failed; it will be tried again')
        await this.#pause(FAULT_PAUSE_MS)
      }
    }
  }

  #pause(ms: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
