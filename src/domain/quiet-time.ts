/**
 * When a trace is quiet: nothing has come for longer than its service usually pauses between two spans of one trace. The
 * longest pause that was seen lately is kept for each service and slowly forgotten, so that one slow day does not make every
 * score late for ever.
 */

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

/** How long a trace of a service has to be quiet: `minMs`, or longer where the service was seen to pause for longer. */
export function quietMs(longestPauseMs: number | undefined, minMs: number): number {
  return Math.min(Math.max((longestPauseMs ?? 0) * MARGIN, minMs), QUIET_MS_MAX)
}
