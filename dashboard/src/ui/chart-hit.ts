/** A stretch of time, in Unix milliseconds; the end is not part of it. */
export interface Stretch {
  readonly fromMs: number
  readonly toMs: number
}

/** The index of the time that is nearest to a moment; undefined where there are no times. They are in ascending order. */
export function nearestIndex(times: readonly Date[], ms: number): number | undefined {
  if (times.length === 0) return undefined
  let [low, high] = [0, times.length - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((times[middle]?.getTime() ?? 0) < ms) low = middle + 1
    else high = middle
  }
  const [before, after] = [times[low - 1]?.getTime() ?? -Infinity, times[low]?.getTime() ?? 0]
  return ms - before <= after - ms ? low - 1 : low
}

/** The index of the point that a click at a moment means; undefined where nothing is drawn at the nearest time. */
export function pointAt(
  times: readonly Date[],
  ms: number,
  isDrawn: (index: number) => boolean,
): number | undefined {
  const index = nearestIndex(times, ms)
  return index !== undefined && isDrawn(index) ? index : undefined
}

/** The bucket of a point: up to the next time, and the last one as long as the one before it. */
export function bucketAt(times: readonly Date[], index: number): Stretch | undefined {
  const fromMs = times[index]?.getTime()
  if (fromMs === undefined) return undefined
  const [before, after] = [times[index - 1]?.getTime(), times[index + 1]?.getTime()]
  return { fromMs, toMs: after ?? fromMs + (before === undefined ? 0 : fromMs - before) }
}

/** The buckets from one index to another, in either order. */
export function bucketsBetween(times: readonly Date[], one: number, other: number): Stretch | undefined {
  const first = bucketAt(times, Math.min(one, other))
  const last = bucketAt(times, Math.max(one, other))
  return first && last && { fromMs: first.fromMs, toMs: last.toMs }
}

/** The index that a key leads to: the neighbour that is drawn, the first or the last one. Undefined for other keys. */
export function indexAfterKey(
  key: string,
  index: number,
  count: number,
  isDrawn: (index: number) => boolean,
): number | undefined {
  const seek = (start: number, step: 1 | -1) => {
    for (let at = start; at >= 0 && at < count; at += step) if (isDrawn(at)) return at
    return undefined
  }
  switch (key) {
    case 'ArrowLeft':
      return seek(index - 1, -1) ?? index
    case 'ArrowRight':
      return seek(index + 1, 1) ?? index
    case 'Home':
      return seek(0, 1) ?? index
    case 'End':
      return seek(count - 1, -1) ?? index
    default:
      return undefined
  }
}

/** Rows of labels above a chart; more would cover the lines. */
const LABEL_ROWS_MAX = 3

/**
 * The row of each label, so that no two overlap; undefined where no row has room. Labels are given by their left and right edges,
 * in the order in which they are placed.
 */
export function labelRows(labels: readonly { left: number; right: number }[]): (number | undefined)[] {
  const taken: { left: number; right: number }[][] = Array.from({ length: LABEL_ROWS_MAX }, () => [])
  return labels.map((label) => {
    const row = taken.findIndex((others) =>
      others.every(({ left, right }) => label.right < left || label.left > right),
    )
    if (row < 0) return undefined
    taken[row]?.push(label)
    return row
  })
}

/** The indices of values without a known neighbour: no line leads to them. */
export function loneIndices(values: readonly (number | null)[]): number[] {
  const isKnown = (index: number) => (values[index] ?? null) !== null
  return values.flatMap((_, index) =>
    isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1) ? [index] : [],
  )
}
