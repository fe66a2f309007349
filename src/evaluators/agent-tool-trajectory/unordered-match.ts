import { bestAssignment } from './best-assignment.ts'
import type { FlatCall } from './call-leaves.ts'
import type { CallPair } from './call-match.ts'
import { similarities } from './call-similarity.ts'

/**
 * Pairs the calls so that the sum of their similarities is the greatest possible, whatever their order. Calls of
 * different tools never pair, so each tool is a small problem of its own. Equal calls pair first; that loses nothing:
 * if the best assignment pairs `c` with `y` and `x` with an equal `c`, then pairing the two `c` and `x` with `y` is at
 * least as good by the triangle inequality of the similarity.
 */
export function matchUnordered(expected: readonly FlatCall[], executed: readonly FlatCall[]): CallPair[] {
  const pairs = pairEqualCalls(expected, executed)
  const expectedLeft = groupByName(expected, new Set(pairs.map((pair) => pair.expected)))
  const executedLeft = groupByName(executed, new Set(pairs.map((pair) => pair.executed)))
  for (const [name, rows] of expectedLeft) {
    const columns = executedLeft.get(name)
    if (!columns) continue
    // The assignment wants no more rows than columns.
    if (rows.length <= columns.length) {
      for (const [row, column, value] of assign(rows, columns, expected, executed))
        pairs.push({ expected: row, executed: column, similarity: value })
    } else {
      for (const [column, row, value] of assign(columns, rows, executed, expected))
        pairs.push({ expected: row, executed: column, similarity: value })
    }
  }
  return pairs
}

function pairEqualCalls(expected: readonly FlatCall[], executed: readonly FlatCall[]): CallPair[] {
  const free = new Map<number, number[]>()
  // From the end, so that pop() gives the first free call.
  for (let place = executed.length - 1; place >= 0; place--) {
    const identity = executed[place]?.identity ?? -1
    const places = free.get(identity)
    if (places) places.push(place)
    else free.set(identity, [place])
  }
  const pairs: CallPair[] = []
  for (const [place, call] of expected.entries()) {
    const partner = free.get(call.identity)?.pop()
    if (partner !== undefined) pairs.push({ expected: place, executed: partner, similarity: 1 })
  }
  return pairs
}

function groupByName(calls: readonly FlatCall[], taken: ReadonlySet<number>): Map<string, number[]> {
  return Map.groupBy(
    calls.keys().filter((place) => !taken.has(place)),
    (place) => calls[place]?.name ?? '',
  )
}

function assign(
  rows: readonly number[],
  columns: readonly number[],
  rowCalls: readonly FlatCall[],
  columnCalls: readonly FlatCall[],
): [row: number, column: number, similarity: number][] {
  const pick = (calls: readonly FlatCall[], places: readonly number[]) =>
    places.map((place) => calls[place] as FlatCall)
  const weights = similarities(pick(rowCalls, rows), pick(columnCalls, columns))
  const columnOf = bestAssignment(weights, rows.length, columns.length)
  return rows.map((row, at) => {
    const choice = columnOf[at] as number
    return [row, columns[choice] as number, weights[at * columns.length + choice] as number]
  })
}
