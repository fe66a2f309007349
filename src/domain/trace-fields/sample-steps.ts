/** Most steps of a trace that are read, and most messages that are shown of it: as many as evaluators take. */
export const STEPS_MAX = 2_000

/**
 * Which of `count` steps are kept where at most `max` can be: the first and the last, errors (these up to half of the
 * room), and of the others as many as fit, evenly spread. In order; all of them where there is room.
 */
export function sampleSteps(count: number, max: number, isError: (step: number) => boolean): number[] {
  const all = Array.from({ length: count }, (_, step) => step)
  if (count <= max) return all
  const kept = new Set([0, count - 1].slice(0, max))
  const errors = all.filter((step) => !kept.has(step) && isError(step))
  for (const step of evenly(errors, Math.min(errors.length, Math.floor(max / 2)))) {
    if (kept.size < max) kept.add(step)
  }
  const others = all.filter((step) => !kept.has(step) && !isError(step))
  for (const step of evenly(others, Math.max(0, max - kept.size))) kept.add(step)
  return [...kept].sort((a, b) => a - b)
}

function evenly(steps: readonly number[], wanted: number): number[] {
  if (wanted >= steps.length) return [...steps]
  return Array.from(
    { length: wanted },
    (_, at) => steps[Math.floor(((at + 0.5) * steps.length) / wanted)] as number,
  )
}
