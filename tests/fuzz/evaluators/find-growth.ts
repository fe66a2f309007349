/** Lengths of the growing text, each four times the one before, in characters. */
const LENGTHS = [1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576]
/** A call that takes less says nothing about growth: starting costs as much. */
const TELLING_CPU_MS = 30
/** Four times the text takes four times as long when the time is linear, and sixteen times when it is quadratic. */
const GROWTH_MAX = 9
/** The shortest of so many repeated calls counts. */
const REPEATS = 3

/** Processor time of one call with a text of that length, in milliseconds; a text says what went wrong instead. */
export type Measure = (length: number) => Promise<number | string>

/** The result of making a text longer and longer. */
export interface Growth {
  /** Why the time is out of proportion, or what went wrong. */
  readonly problem?: string
  /** How many times as long the last text took as the one before it; 0 where no text took long enough to tell. */
  readonly growth: number
}

/**
 * Makes the text longer until it takes a telling time, then asks whether four times the text takes much more than four times
 * as long. Growth that is linear at a measurable time stays linear; longer texts would only take longer.
 */
export async function findGrowth(measure: Measure): Promise<Growth> {
  let before: { readonly length: number; readonly cpuMs: number } | undefined
  for (const length of LENGTHS) {
    const cpuMs = await measure(length)
    if (typeof cpuMs === 'string') return { problem: cpuMs, growth: 0 }
    if (before && cpuMs >= TELLING_CPU_MS) {
      if (cpuMs / before.cpuMs <= GROWTH_MAX) return { growth: cpuMs / before.cpuMs }
      const problem = await confirm(measure, [before.length, length, length * 4])
      if (problem !== undefined) return { problem, growth: cpuMs / before.cpuMs }
    }
    before = { length, cpuMs }
  }
  return { growth: 0 }
}

/** Measures again, and once more with a text that is four times as long: what happens once is no growth. */
async function confirm(measure: Measure, lengths: readonly number[]): Promise<string | undefined> {
  const times: number[] = []
  for (const length of lengths) {
    const cpuMs = await leastOf(measure, length)
    if (typeof cpuMs === 'string') return cpuMs
    times.push(cpuMs)
  }
  const [least = 0, more = 0, most = 0] = times
  if (more / least <= GROWTH_MAX || most / more <= GROWTH_MAX) return undefined
  const told = times.map((cpuMs, at) => `${Math.round(cpuMs)} ms for ${lengths[at]} characters`)
  return `takes time out of proportion: ${told.join(', ')}`
}

async function leastOf(measure: Measure, length: number): Promise<number | string> {
  let least = Number.POSITIVE_INFINITY
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const cpuMs = await measure(length)
    if (typeof cpuMs === 'string') return cpuMs
    least = Math.min(least, cpuMs)
  }
  return least
}
