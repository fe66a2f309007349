/**
 * Retention deletes by the clock, and a clock can be wrong: set by hand, by a broken time server, by a restored machine. A
 * jump of more than a day is not believed at once, because what it deletes cannot be brought back.
 *
 * | state | true in it | leaves when |
 * |---|---|---|
 * | believed | the clock is at most a day ahead of the last look plus the time that has passed since | a jump: doubted |
 * | doubted | time goes on from what was believed, as fast as the process runs | the clock comes back, or has stood by its jump for a day |
 *
 * A service that was switched off for longer than a day is in doubt for its first day, too: it keeps its data a day longer.
 */

const DAY_MS = 86_400_000

/** The clock as it was at the last look. */
export interface ClockRecord {
  /** The time that was believed. */
  readonly believedAtMs: number
  /** The reading of the clock. */
  readonly seenAtMs: number
  /** The reading at which doubt began; absent while the clock is believed. */
  readonly doubtedSinceMs?: number
}

/**
 * Looks at the clock. `elapsedMs` is how long ago this process has looked last, by a clock that cannot be set; 0 for its first
 * look. The time to go by is `believedAtMs` of the record.
 */
export function lookAtClock(known: ClockRecord | undefined, nowMs: number, elapsedMs: number): ClockRecord {
  const believed = { believedAtMs: nowMs, seenAtMs: nowMs }
  if (!known || nowMs - (known.believedAtMs + elapsedMs) <= DAY_MS) return believed
  const hasJumpedAgain = Math.abs(nowMs - (known.seenAtMs + elapsedMs)) > DAY_MS
  const doubtedSinceMs = hasJumpedAgain ? nowMs : (known.doubtedSinceMs ?? nowMs)
  if (nowMs - doubtedSinceMs >= DAY_MS) return believed
  return { believedAtMs: known.believedAtMs + elapsedMs, seenAtMs: nowMs, doubtedSinceMs }
}
