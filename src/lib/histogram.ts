/** About as many bins as can be told apart. */
const BINS = 20
/** Digits that are told of where a bin begins; the rest is what adding up has left. */
const DIGITS = 12

/** Values from one number up to another, which is in it only where it is the last bin. */
export interface Bin {
  readonly from: number
  readonly to: number
  readonly count: number
}

/** The range that the bins of a histogram have to cover. */
export interface HistogramRange {
  readonly min: number
  readonly max: number
  /** Only whole numbers: no bin lies between two of them. */
  readonly isWhole: boolean
}

/** Bins of equal width with round edges, those without values too. Values between 0 and 1 get bins from 0 to 1. */
export function histogramOf(
  values: readonly (readonly [value: number, count: number])[],
  range: HistogramRange,
): Bin[] {
  const edges = edgesOf(range)
  if (!edges) {
    const count = values.reduce((total, [, one]) => total + one, 0)
    return [{ from: range.min, to: range.max, count }]
  }
  const { start, width, bins } = edges
  const counts = new Array<number>(bins).fill(0)
  for (const [value, count] of values) {
    // A sketch may tell a value a little outside of the range that is known exactly.
    const bin = Math.min(Math.max(Math.floor((value - start) / width), 0), bins - 1)
    counts[bin] = (counts[bin] ?? 0) + count
  }
  return counts.map((count, at) => ({
    from: edge(start + at * width),
    to: edge(start + (at + 1) * width),
    count,
  }))
}

interface Edges {
  readonly start: number
  readonly width: number
  readonly bins: number
}

/** Undefined where all numbers are the same one, or so far apart that their distance is no number any more. */
function edgesOf({ min, max, isWhole }: HistogramRange): Edges | undefined {
  if (!Number.isFinite(max - min)) return undefined
  if (isWhole) {
    const start = Math.floor(min)
    const numbers = Math.ceil(max) - start + 1
    const width = Math.ceil(numbers / BINS)
    return { start, width, bins: Math.ceil(numbers / width) }
  }
  if (min >= 0 && max <= 1) return { start: 0, width: 1 / BINS, bins: BINS }
  if (min === max) return undefined
  const width = roundWidth((max - min) / BINS)
  const start = Math.floor(min / width) * width
  return { start, width, bins: Math.floor((max - start) / width) + 1 }
}

/** The next larger of 1, 2 and 5 times a power of ten. */
function roundWidth(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width))
  const step = [1, 2, 5, 10].find((factor) => factor * power >= width) ?? 10
  return step * power
}

function edge(value: number): number {
  return Number(value.toPrecision(DIGITS))
}
