/**
 * When a trace is quiet: nothing has come for longer than its service usually pauses between two spans of one trace. The
 * longest pause that was seen lately is kept for each service and slowly forgotten, so that one slow day does not make every
 * score late for ever.
 */

/** What a service that was never seen to pause is given. */
export const QUIET_MS_DEFAULT = 2_000
/** However long a service pauses, nobody waits longer than this for a trace that looks complete. */
export const QUIET_MS_MAX = 60_000

/** Traces with no longer pause take this share off what is remembered. */
const FORGETTING = 0.01
/** Room above the longest pause. */
const MARGIN = 1.5

/** The longest pause of a service after one more was seen. */
export function learnPause(knownMs: number | undefined, pauseMs: number): number {
  if (knownMs === undefined || pauseMs >= knownMs) return pauseMs
  return knownMs - (knownMs - pauseMs) * FORGETTING
}

/** How long a trace of a service has to be quiet, never less than `minMs`. */
export function quietMs(longestPauseMs: number | undefined, minMs: number): number {
  const wanted = longestPauseMs === undefined ? QUIET_MS_DEFAULT : longestPauseMs * MARGIN
  return Math.min(Math.max(wanted, minMs), QUIET_MS_MAX)
}
