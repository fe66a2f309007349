import type { FlatCall } from './call-leaves.ts'
import type { CallPair } from './call-match.ts'
import { similarities } from './call-similarity.ts'

/**
 * Pairs the calls so that the sum of their similarities is the greatest possible while the pairs keep their order in
 * both lists: a longest common subsequence in which a pair counts as much as its calls are similar.
 */
export function matchOrdered(expected: readonly FlatCall[], executed: readonly FlatCall[]): CallPair[] {
  const weights = similarities(expected, executed)
  const best = bestSums(weights, expected.length, executed.length)
  const pairs: CallPair[] = []
  for (let i = 0, j = 0; i < expected.length && j < executed.length; ) {
    const cell = i * (executed.length + 1) + j
    const below = cell + executed.length + 1
    const value = weights[i * executed.length + j] as number
    // Calls of the same tool pair even at similarity 0: "different" says more than "missing" and "extra".
    const mayPair = expected[i]?.name === executed[j]?.name
    if (mayPair && best[cell] === value + (best[below + 1] as number))
      pairs.push({ expected: i++, executed: j++, similarity: value })
    else if (best[cell] === best[below]) i++
    else j++
  }
  return pairs
}

/** Cell `i * (columns + 1) + j` is the greatest sum for the calls from i and j to the ends of their lists. */
function bestSums(weights: Float64Array, rows: number, columns: number): Float64Array {
  const width = columns + 1
  const best = new Float64Array((rows + 1) * width)
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const cell = i * width + j
      const paired = (weights[i * columns + j] as number) + (best[cell + width + 1] as number)
      best[cell] = Math.max(paired, best[cell + width] as number, best[cell + 1] as number)
    }
  }
  return best
}
