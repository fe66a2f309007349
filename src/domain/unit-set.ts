/** A set of spans of one batch as a bitmap: bit `n` stands for the n-th accepted span. */
export type UnitSet = Uint8Array

/** A set with room for that many spans, none of them in it. */
export function emptyUnits(spanCount: number): UnitSet {
  return new Uint8Array(Math.ceil(spanCount / 8))
}

/** Takes a span into the set. */
export function addUnit(units: UnitSet, ordinal: number): void {
  units[ordinal >> 3] = (units[ordinal >> 3] as number) | (1 << (ordinal & 7))
}

/** Whether a span is in the set. */
export function hasUnit(units: UnitSet, ordinal: number): boolean {
  return (((units[ordinal >> 3] ?? 0) >> (ordinal & 7)) & 1) === 1
}

/** Takes a span out of the set, if it is in it. */
export function removeUnit(units: UnitSet, ordinal: number): void {
  units[ordinal >> 3] = (units[ordinal >> 3] as number) & ~(1 << (ordinal & 7))
}

/** How many spans are in the set. */
export function countUnits(units: UnitSet): number {
  let count = 0
  for (let byte of units) {
    for (; byte > 0; byte &= byte - 1) count++
  }
  return count
}

/** The ordinals in the set, ascending. */
export function listUnits(units: UnitSet): number[] {
  const ordinals: number[] = []
  for (const [at, byte] of units.entries()) {
    for (let bit = 0; byte >> bit > 0; bit++) if ((byte >> bit) & 1) ordinals.push(at * 8 + bit)
  }
  return ordinals
}

/** Whether two sets have a span in common. */
export function intersects(left: UnitSet, right: UnitSet): boolean {
  for (let at = Math.min(left.length, right.length) - 1; at >= 0; at--) {
    if (((left[at] as number) & (right[at] as number)) !== 0) return true
  }
  return false
}

/** Takes all spans of another set into a set of the same batch. */
export function addUnits(into: UnitSet, units: UnitSet): void {
  for (const [at, byte] of units.entries()) into[at] = (into[at] ?? 0) | byte
}

/** Takes all spans of another set out of a set of the same batch. */
export function removeUnits(from: UnitSet, units: UnitSet): void {
  for (const [at, byte] of units.entries()) from[at] = (from[at] ?? 0) & ~byte
}

/** The spans that are in both of two sets of the same batch. */
export function commonUnits(left: UnitSet, right: UnitSet): UnitSet {
  return left.map((byte, at) => byte & (right[at] ?? 0))
}
