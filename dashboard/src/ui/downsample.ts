/** A value at its place in a series. */
export interface Point {
  /** Index in the series. */
  readonly at: number
  readonly value: number
}

/**
 * The known points of a series as unbroken runs, with at most `pointsMax` points in total. Where there are more, each column of
 * neighbours keeps its smallest and its largest value in their order, so that no peak is lost.
 */
export function downsample(values: readonly (number | null)[], pointsMax: number): Point[][] {
  if (values.length <= pointsMax) return runsOf(values)
  const columns = Math.max(1, Math.floor(pointsMax / 2))
  const extremes: (Point | null)[] = []
  for (let column = 0; column < columns; column++) {
    const start = Math.floor((column * values.length) / columns)
    const end = Math.floor(((column + 1) * values.length) / columns)
    extremes.push(...extremesOf(values, start, end))
  }
  return runsOfPoints(extremes)
}

function extremesOf(values: readonly (number | null)[], start: number, end: number): (Point | null)[] {
  let low: Point | undefined
  let high: Point | undefined
  for (let at = start; at < end; at++) {
    const value = values[at]
    if (value === null || value === undefined) continue
    if (low === undefined || value < low.value) low = { at, value }
    if (high === undefined || value > high.value) high = { at, value }
  }
  if (low === undefined || high === undefined) return [null]
  if (low.at === high.at) return [low]
  return low.at < high.at ? [low, high] : [high, low]
}

function runsOf(values: readonly (number | null)[]): Point[][] {
  return runsOfPoints(values.map((value, at) => (value === null ? null : { at, value })))
}

function runsOfPoints(points: readonly (Point | null)[]): Point[][] {
  const runs: Point[][] = []
  let run: Point[] = []
  for (const point of points) {
    if (point !== null) run.push(point)
    else if (run.length > 0) {
      runs.push(run)
      run = []
    }
  }
  return run.length > 0 ? [...runs, run] : runs
}
