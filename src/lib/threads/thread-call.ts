import type { PooledThread } from './thread-pool.ts'

/** A thread that has not even loaded by then is given up; loading is not counted against what waits for it. */
export const LOAD_MS_MAX = 180_000

/** The id of a thread that has ended: it emits no event any more, not even `exit`. */
const ENDED = -1

/** The result of a call: an answer, the loss of its thread, or a timeout. */
export type CallEnd<Answer> =
  | { readonly answer: Answer }
  | { readonly lost: unknown }
  | { readonly lateMs: number }

/** Sends a thread one message and waits at most `msMax` for its answer, counted from when the thread has loaded. */
export function callThread<Answer>(
  { worker, isLoaded }: Pick<PooledThread, 'worker' | 'isLoaded'>,
  message: unknown,
  msMax: number,
  transfer: readonly ArrayBuffer[] = [],
): Promise<CallEnd<Answer>> {
  return new Promise((resolve) => {
    if (worker.threadId === ENDED) return resolve({ lost: undefined })
    const end = (outcome: CallEnd<Answer>) => {
      clearTimeout(timer)
      worker.off('message', onMessage)
      worker.off('error', onLost)
      worker.off('exit', onLost)
      resolve(outcome)
    }
    const onMessage = (said: Answer | 'ready') => {
      if (said !== 'ready') return end({ answer: said })
      clearTimeout(timer)
      timer = setTimeout(() => end({ lateMs: msMax }), msMax)
    }
    const onLost = (cause: unknown) => end({ lost: cause })
    const firstMs = isLoaded ? msMax : LOAD_MS_MAX
    let timer = setTimeout(() => end({ lateMs: firstMs }), firstMs)
    worker.on('message', onMessage)
    worker.once('error', onLost)
    worker.once('exit', onLost)
    worker.postMessage(message, transfer)
  })
}

/** A thread ended during its task, which may be the cause. */
export class ThreadLost extends Error {
  override readonly name: string = 'ThreadLost'
}

/** True when a thread ended because it exceeded its memory limit. */
export function isOutOfMemory(cause: unknown): boolean {
  return (cause as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
