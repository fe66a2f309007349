/**
 * | state     | true in it                                              | leaves when                                    |
 * |-----------|---------------------------------------------------------|------------------------------------------------|
 * | closed    | calls pass; failures in a row are counted               | too many in a row: open                        |
 * | open      | no call passes                                          | the time is over: half-open                    |
 * | half-open | one call passes, to find out; the others do not         | it succeeds: closed; it fails: open for longer |
 */
export type BreakerState = 'closed' | 'open' | 'half-open'

/** When it opens and for how long. */
export interface BreakerLimits {
  /** Failures in a row after which nothing is asked for a while. */
  readonly failuresMax: number
  readonly openMs: number
  readonly openMsMax: number
}

/** The limits of every provider's breaker. */
export const BREAKER_LIMITS: BreakerLimits = { failuresMax: 5, openMs: 10_000, openMsMax: 60_000 }

/** Stops asking a provider that does not answer, so that its outage does not hold up everything else. */
export class CircuitBreaker {
  readonly #limits: BreakerLimits
  readonly #nowMs: () => number
  readonly #onChange: (state: BreakerState) => void
  #state: BreakerState = 'closed'
  #failures = 0
  #openUntilMs = 0
  #nextOpenMs: number

  constructor(limits: BreakerLimits, nowMs: () => number, onChange: (state: BreakerState) => void) {
    this.#limits = limits
    this.#nowMs = nowMs
    this.#onChange = onChange
    this.#nextOpenMs = limits.openMs
  }

  get state(): BreakerState {
    return this.#state
  }

  /** How long it stays open for sure; 0 when a call may pass. */
  get openMs(): number {
    return this.#state === 'open' ? Math.max(0, this.#openUntilMs - this.#nowMs()) : 0
  }

  /** Takes a place for one call; when it may not be made: how long to wait. Each place taken is given back by one report. */
  admit(): { readonly isAdmitted: true } | { readonly isAdmitted: false; readonly retryAfterMs: number } {
    if (this.#state === 'closed') return { isAdmitted: true }
    const leftMs = this.#openUntilMs - this.#nowMs()
    if (this.#state === 'open' && leftMs <= 0) {
      this.#become('half-open')
      return { isAdmitted: true }
    }
    return { isAdmitted: false, retryAfterMs: Math.max(leftMs, 1_000) }
  }

  /** The provider answered, if only with a refusal. */
  succeeded(): void {
    this.#failures = 0
    if (this.#state !== 'half-open') return
    this.#nextOpenMs = this.#limits.openMs
    this.#become('closed')
  }

  failed(): void {
    this.#failures++
    if (this.#state === 'half-open') {
      this.#nextOpenMs = Math.min(this.#nextOpenMs * 2, this.#limits.openMsMax)
      this.#open()
    } else if (this.#state === 'closed' && this.#failures >= this.#limits.failuresMax) this.#open()
  }

  /** The call was given up by its caller, which says nothing about the provider: another one may find out. */
  abandoned(): void {
    if (this.#state !== 'half-open') return
    this.#openUntilMs = this.#nowMs()
    this.#become('open')
  }

  #open(): void {
    this.#openUntilMs = this.#nowMs() + this.#nextOpenMs
    this.#become('open')
  }

  #become(state: BreakerState): void {
    this.#state = state
    this.#onChange(state)
  }
}
