/** Work that can be interrupted: it yields when it has run for a while, and goes on when it is asked for more. */
export type Sliced<Result> = Generator<void, Result, void>

/** Does all of it at once, for callers that have nothing else to do. */
export function finish<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Tells when a slice of so many milliseconds is over, and begins the next one then. */
export function sliceTimer(sliceMs: number): () => boolean {
  let endMs = performance.now() + sliceMs
  return () => {
    const nowMs = performance.now()
    if (nowMs < endMs) return false
    endMs = nowMs + sliceMs
    return true
  }
}
