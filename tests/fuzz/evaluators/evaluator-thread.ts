import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A call as it goes to the thread. */
export interface EvaluatorCall {
  readonly slug: string
  /** The body of an execute request. */
  readonly body: string
}

/** The outcome of a call, and its processor time. */
export interface Evaluated {
  /** `ended`: it took more processor time than any call may, and the thread was ended. */
  readonly outcome: 'answered' | 'refused' | 'failed' | 'ended'
  readonly cpuMs: number
  readonly error?: string
  /** Whether the thread must not be used again. */
  readonly isLast?: boolean
}

/** Processor time after which a call is ended. */
export const CPU_MS_MAX = 20_000
const LOOK_MS = 500

/** A thread that evaluates one call at a time and is replaced when a call has ended it. */
export class EvaluatorThread {
  #worker: Worker | undefined

  async run(call: EvaluatorCall): Promise<Evaluated> {
    const worker = await this.#open()
    const evaluated = await new Promise<Evaluated>((resolve) => {
      const finish = (outcome: Evaluated) => {
        clearInterval(watch)
        worker.off('message', finish).off('error', onError).off('exit', onExit)
        resolve(outcome)
      }
      const fail = (error: string) => finish({ outcome: 'failed', cpuMs: 0, error, isLast: true })
      const onError = (error: Error) => fail(String(error.stack))
      const onExit = (code: number) => fail(`the thread ended with ${code}`)
      const before = worker.cpuUsage()
      const watch = setInterval(async () => {
        const { user, system } = await worker.cpuUsage(await before)
        const cpuMs = (user + system) / 1_000
        if (cpuMs > CPU_MS_MAX) finish({ outcome: 'ended', cpuMs, isLast: true })
      }, LOOK_MS)
      worker.on('message', finish).on('error', onError).on('exit', onExit)
      worker.postMessage(call)
    })
    if (evaluated.isLast) await this.close()
    return evaluated
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  async #open(): Promise<Worker> {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./evaluator-worker.ts', import.meta.url))
    await once(worker, 'online')
    this.#worker = worker
    return worker
  }
}
