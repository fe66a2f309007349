import type { Budget, SpendTotals } from '../../ports/judge-storage.ts'

/**
 * What one project or setup has spent in the current UTC day and month, and what is set aside for calls under way. What is
 * spent while the stored totals are being read is counted on top: rather twice for a moment than not at all.
 */
export class SpendAccount {
  /** Resolves when the stored totals are in. */
  readonly loaded: Promise<void>
  readonly #nowMs: () => number
  #day: string
  #dayMicros = 0
  #monthMicros = 0
  #reservedMicros = 0
  #settling = Promise.withResolvers<void>()

  constructor(nowMs: () => number, read: () => Promise<SpendTotals>) {
    this.#nowMs = nowMs
    this.#day = dayText(nowMs())
    this.loaded = read().then(({ dayMicros, monthMicros }) => {
      this.#dayMicros += dayMicros
      this.#monthMicros += monthMicros
    })
  }

  get isIdle(): boolean {
    return this.#reservedMicros === 0
  }

  /** True when an amount fits in beside what is spent and set aside. */
  hasRoom(budget: Budget, micros: number): boolean {
    return this.#exceeds(budget, micros + this.#reservedMicros) === undefined
  }

  /** Which period's budget is too small even when nothing else is under way. */
  exhausted(budget: Budget, micros: number): 'day' | 'month' | undefined {
    return this.#exceeds(budget, micros)
  }

  reserve(micros: number): void {
    this.#reservedMicros += micros
  }

  unreserve(micros: number): void {
    this.#reservedMicros -= micros
    const { resolve } = this.#settling
    this.#settling = Promise.withResolvers()
    resolve()
  }

  spend(micros: number): void {
    this.#turnPage()
    this.#dayMicros += micros
    this.#monthMicros += micros
  }

  /** Resolves when the next reservation ends. */
  nextSettling(): Promise<void> {
    return this.#settling.promise
  }

  #exceeds({ dayMicros, monthMicros }: Budget, micros: number): 'day' | 'month' | undefined {
    this.#turnPage()
    // The longer period first: it is the one that decides when there is money again.
    if (monthMicros !== undefined && this.#monthMicros + micros > monthMicros) return 'month'
    return dayMicros !== undefined && this.#dayMicros + micros > dayMicros ? 'day' : undefined
  }

  #turnPage(): void {
    const today = dayText(this.#nowMs())
    if (today === this.#day) return
    this.#dayMicros = 0
    if (today.slice(0, 7) !== this.#day.slice(0, 7)) this.#monthMicros = 0
    this.#day = today
  }
}

function dayText(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}
