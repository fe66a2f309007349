/** Whether scores have become worse by more than chance explains. */

/** Units that both spans of time must have: a mean of fewer says little. */
export const DROP_UNITS_MIN = 30
/** A change of a smaller share of the range is not worth a message, however certain. */
const CHANGE_MIN = 0.1
/** Standard errors beyond which a change is hardly chance. */
const ERRORS_MIN = 2

/** The summary of the numbers in a period of time. */
export interface ScoredValues {
  readonly count: number
  readonly mean: number
  readonly min: number
  readonly max: number
}

/**
 * Compares two spans of time. How far single values lie from their mean is not stored, but it cannot be more than the mean's
 * distances to both ends of the range allow, and that much is assumed: so a drop that is told is a drop however the values are spread.
 */
export function hasDropped(now: ScoredValues, before: ScoredValues, isLargerWorse: boolean): boolean {
  if (now.count < DROP_UNITS_MIN || before.count < DROP_UNITS_MIN) return false
  const fall = isLargerWorse ? now.mean - before.mean : before.mean - now.mean
  const min = Math.min(now.min, before.min)
  const max = Math.max(now.max, before.max)
  if (!(fall > 0) || fall < CHANGE_MIN * (max - min)) return false
  const varianceOf = ({ mean, count }: ScoredValues) => Math.max(0, (max - mean) * (mean - min)) / count
  return fall >= ERRORS_MIN * Math.sqrt(varianceOf(now) + varianceOf(before))
}
