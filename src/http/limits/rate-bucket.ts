/**
 * A token bucket that holds what a rate gives in one window. It is full at the beginning and refills steadily. More may be
 * used than is in it: then it is in debt, and everything after that waits until the debt is paid, so that the rate holds in
 * the long run whatever the size of a single use.
 */
export class RateBucket {
  readonly #windowS: number
  #level = Number.POSITIVE_INFINITY
  #atMs = 0
  #used = 0
  /** Usage in the current window and in the previous one. */
  #recent = { startMs: Number.NEGATIVE_INFINITY, now: 0, before: 0 }

  constructor(windowS: number) {
    this.#windowS = windowS
  }

  /** Total usage in this process. */
  get used(): number {
    return this.#used
  }

  /** How much may be used now, at a rate of so many a second. */
  available(perSecond: number, nowMs: number): number {
    const refilled = this.#level + ((nowMs - this.#atMs) * perSecond) / 1_000
    this.#level = Math.min(perSecond * this.#windowS, refilled)
    this.#atMs = nowMs
    return this.#level
  }

  /** Uses that much, whether it is there or not. */
  use(amount: number, perSecond: number, nowMs: number): void {
    this.debit(amount, perSecond, nowMs)
    this.#used += amount
    this.#turnWindow(nowMs)
    this.#recent.now += amount
  }

  /** Takes out what others have used. */
  debit(amount: number, perSecond: number, nowMs: number): void {
    this.#level = this.available(perSecond, nowMs) - amount
  }

  /** Mean usage per second in the last window. */
  perSecond(nowMs: number): number {
    this.#turnWindow(nowMs)
    const { startMs, now, before } = this.#recent
    const passed = (nowMs - startMs) / (this.#windowS * 1_000)
    return (now + before * (1 - passed)) / this.#windowS
  }

  #turnWindow(nowMs: number): void {
    const windowMs = this.#windowS * 1_000
    const { startMs, now } = this.#recent
    if (nowMs < startMs + windowMs) return
    const isNext = nowMs < startMs + 2 * windowMs
    this.#recent = { startMs: isNext ? startMs + windowMs : nowMs, now: 0, before: isNext ? now : 0 }
  }
}

/** How long until at least one is available again, in milliseconds. */
export function waitMs(available: number, perSecond: number): number {
  return Math.max(0, ((1 - available) / perSecond) * 1_000)
}
