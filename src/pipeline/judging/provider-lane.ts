import { BREAKER_LIMITS, type BreakerState, CircuitBreaker } from './circuit-breaker.ts'
import { type JudgeTime, outOfTime } from './judge-time.ts'

const MINUTE_MS = 60_000

/** How much may be asked of one provider. */
export interface LaneLimits {
  /** Calls at the same time. */
  readonly callsMax: number
  /** Tokens of prompts and answers; undefined: no limit. */
  readonly tokensPerMinute?: number
}

/** A place among the calls of a provider. */
export interface LanePlace {
  /** Gives the place back and tells what was really used; undefined keeps the estimate. */
  leave(tokens: number | undefined): void
}

interface Waiting {
  readonly orgId: string
  readonly tokens: number
  enter(place: LanePlace): void
}

/**
 * The way to one provider with one key: at most so many calls at once and so many tokens a minute. Calls of one
 * organization go in the order of their arrival, and organizations take turns, so that one that asks a lot does not make
 * the others wait.
 */
export class ProviderLane {
  readonly breaker: CircuitBreaker
  readonly #limits: LaneLimits
  readonly #time: JudgeTime
  readonly #closing: AbortSignal
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0
  readonly #runningOf = new Map<string, number>()
  /** Tokens that may be used now; grows with time up to a minute's worth, and below 0 after more than was estimated. */
  #tokens: number
  #filledAtMs: number
  #notBeforeMs = 0
  #isTimerSet = false

  constructor(
    limits: LaneLimits,
    time: JudgeTime,
    closing: AbortSignal,
    onBreaker: (state: BreakerState) => void,
  ) {
    this.#limits = limits
    this.#time = time
    this.#closing = closing
    this.#tokens = limits.tokensPerMinute ?? Infinity
    this.#filledAtMs = time.nowMs()
    this.breaker = new CircuitBreaker(BREAKER_LIMITS, () => time.nowMs(), onBreaker)
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0
  }

  /** The calls of one organization that are under way here, and those that wait. */
  callsOf(orgId: string): { readonly used: number; readonly waiting: number } {
    return { used: this.#runningOf.get(orgId) ?? 0, waiting: this.#waiting.get(orgId)?.length ?? 0 }
  }

  /** How long the provider asked to be left alone; 0 when it did not. */
  get pausedMs(): number {
    return Math.max(0, this.#notBeforeMs - this.#time.nowMs())
  }

  /** The provider said when it wants to be asked again: no call goes out before. */
  pause(ms: number): void {
    this.#notBeforeMs = Math.max(this.#notBeforeMs, this.#time.nowMs() + ms)
  }

  /** Waits for a place. Rejects with `deadline` when the signal aborts, and then takes none. */
  enter(orgId: string, tokens: number, signal: AbortSignal): Promise<LanePlace> {
    if (signal.aborted) return Promise.reject(outOfTime())
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#remove(waiting)
        reject(outOfTime())
        this.#admit()
      }
      const waiting: Waiting = {
        orgId,
        // More than a minute's worth could never be there: such a call waits for a full minute instead.
        tokens: Math.min(tokens, this.#limits.tokensPerMinute ?? tokens),
        enter(place) {
          signal.removeEventListener('abort', onAbort)
          resolve(place)
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const queue = this.#waiting.get(orgId)
      if (queue) queue.push(waiting)
      else this.#waiting.set(orgId, [waiting])
      this.#admit()
    })
  }

  #admit(): void {
    this.#refill()
    while (this.#running < this.#limits.callsMax) {
      const [orgId, queue] = this.#waiting.entries().next().value ?? []
      const next = queue?.[0]
      if (orgId === undefined || queue === undefined || next === undefined) return
      const waitMs = Math.max(this.pausedMs, this.#msUntil(next.tokens))
      if (waitMs > 0) {
        this.#admitIn(waitMs)
        return
      }
      queue.shift()
      // To the end of the row, so that the next organization has its turn.
      this.#waiting.delete(orgId)
      if (queue.length > 0) this.#waiting.set(orgId, queue)
      next.enter(this.#place(orgId, next.tokens))
    }
  }

  #place(orgId: string, tokens: number): LanePlace {
    this.#count(orgId, 1)
    this.#tokens -= tokens
    let isTaken = true
    return {
      leave: (used) => {
        if (!isTaken) return
        isTaken = false
        this.#count(orgId, -1)
        this.#tokens += tokens - (used ?? tokens)
        this.#admit()
      },
    }
  }

  #count(orgId: string, change: 1 | -1): void {
    this.#running += change
    const running = (this.#runningOf.get(orgId) ?? 0) + change
    if (running > 0) this.#runningOf.set(orgId, running)
    else this.#runningOf.delete(orgId)
  }

  #remove(waiting: Waiting): void {
    const queue = this.#waiting.get(waiting.orgId) ?? []
    const at = queue.indexOf(waiting)
    if (at !== -1) queue.splice(at, 1)
    if (queue.length === 0) this.#waiting.delete(waiting.orgId)
  }

  #refill(): void {
    const { tokensPerMinute } = this.#limits
    const nowMs = this.#time.nowMs()
    if (tokensPerMinute !== undefined) {
      const grown = ((nowMs - this.#filledAtMs) * tokensPerMinute) / MINUTE_MS
      this.#tokens = Math.min(tokensPerMinute, this.#tokens + Math.max(0, grown))
    }
    this.#filledAtMs = nowMs
  }

  #msUntil(tokens: number): number {
    const { tokensPerMinute } = this.#limits
    if (tokensPerMinute === undefined || tokens <= this.#tokens) return 0
    return Math.ceil(((tokens - this.#tokens) * MINUTE_MS) / tokensPerMinute)
  }

  #admitIn(ms: number): void {
    if (this.#isTimerSet) return
    this.#isTimerSet = true
    this.#time
      .sleep(ms, this.#closing)
      .then(() => {
        this.#isTimerSet = false
        this.#admit()
      })
      // When everything closes, those who wait are ended by their own signals.
      .catch(() => {})
  }
}
