import type { Budget, SpendTotals } from '../../ports/judge-storage.ts'

/** Other processes spend too: what they have written is seen after this time at the latest. */
const TOTALS_KEPT_MS = 100

/** The stored totals, and whether they include the amounts spent here before the read began. */
export interface StoredSpend {
  readonly totals: SpendTotals
  readonly isComplete: boolean
}

interface Micros {
  day: number
  month: number
}

/**
 * The spend of one project or setup in the current UTC day and month, and the amount set aside for calls under way.
 * Amounts spent while the stored totals are being read are counted on top: rather twice for a moment than not at all.
 */
export class SpendAccount {
  readonly #nowMs: () => number
  readonly #read: () => Promise<StoredSpend>
  #day: string
  #stored: Micros = { day: 0, month: 0 }
  /** Spent here and perhaps not among the stored yet. */
  readonly #recent: Micros = { day: 0, month: 0 }
  /** Counted here for calls of unknown cost, which the store knows nothing of. */
  readonly #assumed: Micros = { day: 0, month: 0 }
  #reservedMicros = 0
  #settling = Promise.withResolvers<void>()
  #looking: Promise<void> | undefined
  #freshUntilMs: number | undefined

  constructor(nowMs: () => number, read: () => Promise<StoredSpend>) {
    this.#nowMs = nowMs
    this.#read = read
    this.#day = dayText(nowMs())
  }

  get isIdle(): boolean {
    return this.#reservedMicros === 0
  }

  /**
   * Resolves when the stored totals are in and not old. Rejects when they were never read; later on, while they cannot be read,
   * those that are known count.
   */
  upToDate(): Promise<void> {
    if (this.#freshUntilMs !== undefined && this.#nowMs() < this.#freshUntilMs) return Promise.resolve()
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
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

  /** Counts the cost of a call, which is also written to the store. */
  spend(micros: number): void {
    this.#turnPage()
    add(this.#recent, micros)
  }

  /** Counts the assumed cost of a call whose cost is unknown. */
  assume(micros: number): void {
    this.#turnPage()
    add(this.#assumed, micros)
  }

  /** Resolves when the next reservation ends. */
  nextSettling(): Promise<void> {
    return this.#settling.promise
  }

  async #look(): Promise<void> {
    this.#turnPage()
    const day = this.#day
    const { day: dayBefore, month: monthBefore } = this.#recent
    try {
      const { totals, isComplete } = await this.#read()
      this.#turnPage()
      // Midnight has passed meanwhile: these totals are yesterday's.
      if (this.#day !== day) return await this.#look()
      this.#stored = { day: totals.dayMicros, month: totals.monthMicros }
      if (isComplete) {
        this.#recent.day -= dayBefore
        this.#recent.month -= monthBefore
      }
    } catch (error) {
      if (this.#freshUntilMs === undefined) throw error
    }
    this.#freshUntilMs = this.#nowMs() + TOTALS_KEPT_MS
  }

  #exceeds({ dayMicros, monthMicros }: Budget, micros: number): 'day' | 'month' | undefined {
    this.#turnPage()
    const kinds = [this.#stored, this.#recent, this.#assumed]
    const spentIn = (period: 'day' | 'month') => kinds.reduce((sum, kind) => sum + kind[period], 0)
    // The longer period first: it is the one that decides when there is money again.
    if (monthMicros !== undefined && spentIn('month') + micros > monthMicros) return 'month'
    return dayMicros !== undefined && spentIn('day') + micros > dayMicros ? 'day' : undefined
  }

  #turnPage(): void {
    const today = dayText(this.#nowMs())
    if (today === this.#day) return
    for (const kind of [this.#stored, this.#recent, this.#assumed]) {
      kind.day = 0
      if (today.slice(0, 7) !== this.#day.slice(0, 7)) kind.month = 0
    }
    this.#day = today
  }
}

function add(amount: Micros, micros: number): void {
  amount.day += micros
  amount.month += micros
}

function dayText(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}
