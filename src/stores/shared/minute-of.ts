/** The minute that rollups count a time in. */
export function minuteOf(atMs: number): number {
  return Math.floor(atMs / 60_000)
}
