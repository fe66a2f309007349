/** The lengths of folded periods in minutes, the longest first. */
export const FOLD_LEVELS = [1_440, 60] as const
export type FoldLevel = (typeof FOLD_LEVELS)[number]
export const HOUR = 60
export const DAY = 1_440

/** How far periods were folded, and those among them whose minutes have changed since; in minutes since 1970. */
export interface FoldState {
  readonly hoursThrough: number
  readonly daysThrough: number
  /** The first minutes of stale periods, by their level. */
  readonly stale: Readonly<Record<FoldLevel, ReadonlySet<number>>>
}

/** Minutes that are read at one level: 1 reads them one by one. The end is not included. */
export interface Stretch {
  readonly level: 1 | FoldLevel
  readonly from: number
  readonly to: number
}

/**
 * Covers the minutes of a range, each once, with the longest periods that are folded and lie in one bucket; what is left is read
 * by the minute. Buckets begin at multiples of their length.
 */
export function planStretches(
  state: FoldState,
  from: number,
  to: number,
  bucketMinutes: number,
): readonly Stretch[] {
  let rest: readonly Stretch[] = [{ level: 1, from, to }]
  const folded: Stretch[] = []
  for (const level of FOLD_LEVELS) {
    if (bucketMinutes % level !== 0) continue
    const left: Stretch[] = []
    for (const stretch of rest) coverAt(level, state, stretch, folded, left)
    rest = left
  }
  return [...folded, ...rest.filter((stretch) => stretch.from < stretch.to)]
}

function coverAt(
  level: FoldLevel,
  state: FoldState,
  { from, to }: Stretch,
  folded: Stretch[],
  left: Stretch[],
): void {
  const through = level === DAY ? state.daysThrough : state.hoursThrough
  const first = Math.ceil(from / level) * level
  const end = Math.floor(Math.min(to, through) / level) * level
  if (first >= end) {
    left.push({ level: 1, from, to })
    return
  }
  left.push({ level: 1, from, to: first })
  let begun = first
  const stale = [...state.stale[level]].filter((minute) => minute >= first && minute < end)
  for (const minute of stale.toSorted((one, other) => one - other)) {
    if (begun < minute) folded.push({ level, from: begun, to: minute })
    left.push({ level: 1, from: minute, to: minute + level })
    begun = minute + level
  }
  if (begun < end) folded.push({ level, from: begun, to: end })
  left.push({ level: 1, from: end, to })
}
