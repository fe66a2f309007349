/** So many looks may overlap; more are made only by text that is written to keep us busy. */
const OVERLAPPING_MAX = 4

/**
 * Keeps the looks at what follows a name from adding up. Each look ends somewhere; where names follow each other so closely that
 * many looks would read the same characters again and again, the later ones are left out until that place is passed.
 */
export class OverlapLimit {
  #end = 0
  #overlapping = 0

  /** True when a look from there on is allowed; it counts as one that overlaps when it begins before an earlier one ended. */
  allows(start: number): boolean {
    if (start >= this.#end) this.#overlapping = 0
    return this.#overlapping++ < OVERLAPPING_MAX
  }

  /** Says how far a look went. */
  reached(end: number): void {
    if (end > this.#end) this.#end = end
  }
}
