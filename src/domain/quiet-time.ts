/**
 * When a trace is quiet: nothing has come for longer than its service usually pauses between two spans of one trace. The
 * usual pause follows longer pauses quickly and shorter ones slowly, so that it lies near the longest; but a single
 * straggler does not make every score late, and a slow day is forgotten.
 */

/** The longest wait for a trace that looks complete, however long a service pauses. */
export const QUIET_MS_MAX = 60_000

/** How far one pause moves what is known, by whether it was longer or shorter. */
const RISING = 0.2
const FALLING = 0.01
/** Room above what is usual. */
const MARGIN = 1.5

/** The long pauses of a service after one more pause was seen. */
export function learnPause(knownMs: number | undefined, pauseMs: number): number {
  const known = knownMs ?? 0
  return known + (pauseMs - known) * (pauseMs > known ? RISING : FALLING)
}

/** How long a trace of a service has to be quiet, in whole milliseconds: `minMs`, or longer where the service was seen to pause for longer. */
export function quietMs(longestPauseMs: number | undefined, minMs: number): number {
  return Math.ceil(Math.min(Math.max((longestPauseMs ?? 0) * MARGIN, minMs), QUIET_MS_MAX))
}
