/** Units whose deadlines are remembered; the one that was too slow longest ago is forgotten first. */
const UNITS_MAX = 10_000

/**
 * How often the judge of a unit was too slow, as far as this process has seen. Attempts that ended because a provider or the
 * store was away are no fault of the unit and are not counted here. After a restart a unit has its attempts again.
 */
export class DeadlineCounts {
  readonly #counts = new Map<string, number>()

  /** Counts one more, and tells how many there are now. */
  count(unit: string): number {
    const count = (this.#counts.get(unit) ?? 0) + 1
    this.#counts.delete(unit)
    this.#counts.set(unit, count)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > UNITS_MAX && oldest !== undefined) this.#counts.delete(oldest)
    return count
  }

  forget(unit: string): void {
    this.#counts.delete(unit)
  }
}
