import { spread } from '../../lib/spread.ts'

/** Most steps of a trace that are read, and most messages that are shown of it: as many as evaluators take. */
export const STEPS_MAX = 2_000

/**
 * Which of `count` steps are kept where at most `max` can be: the first and the last, errors (these up to half of what is
 * left), and of the others as many as fit, evenly spread. In order; all of them where there is room.
 */
export function sampleSteps(count: number, max: number, isError: (step: number) => boolean): number[] {
  const all = Array.from({ length: count }, (_, step) => step)
  if (count <= max) return all
  const last = count - 1
  const errors = all.filter((step) => step > 0 && step < last && isError(step))
  const kept = new Set([last, ...spread(errors, Math.max(0, Math.floor((max - 2) / 2)))])
  const others = all.filter((step) => !kept.has(step))
  for (const step of spread(others, max - kept.size)) kept.add(step)
  return [...kept].sort((a, b) => a - b)
}
