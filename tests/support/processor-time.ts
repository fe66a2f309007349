import assert from 'node:assert/strict'

/** Work that takes less is compared as if it took this long: the clock of a processor is coarse. */
const SMALLEST_MS = 2
/** Other work on the machine only ever adds to a measurement, so the least of several counts. */
const ROUNDS_MAX = 5

/** Limits on the cost of growing input. */
export interface GrowthLimit {
  /** How many times as large the large input is. */
  readonly factor: number
  /** Power of the factor that the cost may grow with; 1 is in proportion. */
  readonly power?: number
}

/** Processor time of this thread that a piece of work takes, in milliseconds. Waiting for the processor does not count. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/**
 * Fails when the processor time of the large work grows with a higher power of its size than allowed. Both are measured in
 * alternating rounds of this run, so neither the speed nor the load of the machine matters. The limit lies half way to the next
 * power: eight times the input may take 22 times as long where proportion is promised, and takes 64 times if it is quadratic.
 */
export async function assertGrowth(
  small: () => unknown,
  large: () => unknown,
  { factor, power = 1 }: GrowthLimit,
  name = 'this',
): Promise<void> {
  const limit = factor ** (power + 0.5)
  let [smallMs, largeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < ROUNDS_MAX; round++) {
    smallMs = Math.min(smallMs, await processorMs(small))
    largeMs = Math.min(largeMs, await processorMs(large))
    if (largeMs <= limit * Math.max(smallMs, SMALLEST_MS)) return
  }
  assert.fail(
    `${name}: ${factor} times the input takes ${largeMs} ms instead of ${smallMs} ms of processor time, more than ${limit} times as long`,
  )
}
