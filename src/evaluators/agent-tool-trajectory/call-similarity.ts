import type { FlatCall } from './call-leaves.ts'

/** How two calls differ in one leaf of their arguments. */
export interface LeafDifference {
  readonly path: number
  readonly kind: 'different' | 'missing' | 'extra'
}

/** No value has this number. */
const ABSENT = -1

/**
 * The similarity of every row to every column, row by row. From 0 to 1: different names are 0, else the share of
 * agreeing leaves among all leaf paths of either call; two calls without arguments are 1. One minus this is a metric
 * (it keeps the triangle inequality), which is what allows unordered-match.ts to pair equal calls first.
 */
export function similarities(rows: readonly FlatCall[], columns: readonly FlatCall[]): Float64Array {
  const matrix = new Float64Array(rows.length * columns.length)
  const pathsEnd = 1 + [...rows, ...columns].reduce((max, call) => Math.max(max, call.paths.at(-1) ?? 0), 0)
  // The values of the row by path: each column then costs one pass over its own leaves only.
  const valueAt = new Int32Array(pathsEnd).fill(ABSENT)
  let cell = 0
  for (const row of rows) {
    for (const [leaf, path] of row.paths.entries()) valueAt[path] = row.values[leaf] as number
    for (const column of columns) matrix[cell++] = similarity(row, valueAt, column)
    for (const path of row.paths) valueAt[path] = ABSENT
  }
  return matrix
}

function similarity(row: FlatCall, valueAt: Int32Array, column: FlatCall): number {
  if (row.identity === column.identity) return 1
  if (row.name !== column.name) return 0
  const { paths, values } = column
  let shared = 0
  let different = 0
  for (let leaf = 0; leaf < paths.length; leaf++) {
    // Arithmetic instead of branches, which the processor cannot predict here: this loop runs for every pair of calls.
    const value = valueAt[paths[leaf] as number] as number
    const change = value ^ (values[leaf] as number)
    const isPresent = (value >> 31) + 1
    shared += isPresent
    different += isPresent & ((change | -change) >>> 31)
  }
  return (shared - different) / (row.paths.length + paths.length - shared)
}

/** The leaves in which two calls of the same tool differ, at most `max` of them. */
export function leafDifferences(expected: FlatCall, executed: FlatCall, max: number): LeafDifference[] {
  const differences: LeafDifference[] = []
  const { paths: a } = expected
  const { paths: b } = executed
  for (let i = 0, j = 0; (i < a.length || j < b.length) && differences.length < max; ) {
    const left = a[i] ?? Number.POSITIVE_INFINITY
    const right = b[j] ?? Number.POSITIVE_INFINITY
    if (left < right) differences.push({ path: left, kind: 'missing' })
    else if (right < left) differences.push({ path: right, kind: 'extra' })
    else if (expected.values[i] !== executed.values[j]) differences.push({ path: left, kind: 'different' })
    if (left <= right) i++
    if (right <= left) j++
  }
  return differences
}
