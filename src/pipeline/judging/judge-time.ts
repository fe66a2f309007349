import { NoVerdict } from '../../domain/no-verdict.ts'

/** Time as judging needs it; injected so that tests need not wait. */
export interface JudgeTime {
  nowMs(): number
  /** Resolves after a while; rejects with the signal's reason when it aborts before. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** The outcome when the time for an evaluation is over. */
export function outOfTime(): NoVerdict {
  return new NoVerdict('deadline', 'the judge did not answer in time')
}

/** Waits for shared work that goes on when the signal aborts; the waiting ends with `deadline`. */
export function waitWithin<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // No caller is left to hear of its failure, which must not end the process.
    promise.catch(() => {})
    return Promise.reject(outOfTime())
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(outOfTime())
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
