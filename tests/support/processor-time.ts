import assert from 'node:assert/strict'

/** Work that takes less is compared as if it took this long: the clock of a processor may tick every 4 ms. */
const SMALLEST_MS = 4
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
 * Fails when the processor time of the large work grows with a higher power of its size than allowed. The small work is repeated
 * until both should take as long, and both are measured in alternating rounds of this run, so neither the speed and load of the
 * machine nor the ticks of its clock matter. The limit lies half way to the next power: 64 times the input may take eight times as
 * long as 64 repetitions where proportion is promised (large inputs miss caches and are collected at greater cost), and takes 64
 * times as long if it is quadratic.
 */
export async function assertGrowth(
  small: () => unknown,
  large: () => unknown,
  { factor, power = 1 }: GrowthLimit,
  name = 'this',
): Promise<void> {
  const limit = factor ** 0.5
  const repetitions = Math.round(factor ** power)
  const repeatSmall = async () => {
    for (let n = 0; n < repetitions; n++) await small()
  }
  let [smallMs, largeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < ROUNDS_MAX; round++) {
    smallMs = Math.min(smallMs, await processorMs(repeatSmall))
    largeMs = Math.min(largeMs, await processorMs(large))
    if (largeMs <= limit * Math.max(smallMs, SMALLEST_MS)) return
  }
  assert.fail(
    `${name}: ${factor} times the input takes ${largeMs} ms of processor time, more than ${limit} times the ${smallMs} ms of ${repetitions} repetitions`,
  )
}
