/** The time of day. Injected so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  nowMs(): number
}
