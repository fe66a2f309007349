import type { PooledThread } from './thread-pool.ts'

/** A thread that has not even loaded by then is given up; loading is not counted against what waits for it. */
export const LOAD_MS_MAX = 180_000

/** The number of a thread that has ended: it says nothing any more, not even that. */
const ENDED = -1

/** What came of a call: an answer, or the end of its thread. */
export type CallEnd<Answer> =
  | { readonly answer: Answer }
  | { readonly lost: unknown }
  | { readonly lateMs: number }

/** Gives a thread one message and waits for the one that answers it, for so long from when the thread has loaded. */
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

/** A thread ended under what it was doing, which may be to blame. */
export class ThreadLost extends Error {
  override readonly name: string = 'ThreadLost'
}

/** Whether a thread has ended because it needed more memory than it may have. */
export function isOutOfMemory(cause: unknown): boolean {
  return (cause as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
