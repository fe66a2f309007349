import { findAnchors } from './find-anchors.ts'

/**
 * How much work an alignment may be: differing tokens looked at, times tokens. It decides how many differences are
 * followed exactly: all of them up to DIFFERENCES_MAX in short documents, at least DIFFERENCES_MIN in any.
 */
const WORK_MAX = 20_000_000
const DIFFERENCES_MAX = 1_024
const DIFFERENCES_MIN = 64

/**
 * The common part of two token sequences, in order: the sum of `values` over a common subsequence.
 *
 * It is a longest one (Myers, "An O(ND) difference algorithm") while the sequences differ in few tokens. Beyond, it
 * is found in pieces: stretches that occur once in both are taken as they stand, and what lies between them is
 * aligned step by step. Time is linear in the lengths times the differences followed.
 */
export function alignTokens(a: Int32Array, b: Int32Array, values: Float64Array): number {
  const differences = Math.floor(WORK_MAX / (a.length + b.length + 1))
  const search = new DifferenceSearch(a, b, values, clamp(differences, DIFFERENCES_MIN, DIFFERENCES_MAX))
  const whole = search.advance(0, a.length, 0, b.length)
  if (whole.atA === a.length && whole.atB === b.length) return whole.gain

  let gain = 0
  let atA = 0
  let atB = 0
  for (const { startA, startB } of findAnchors(a, b)) {
    if (startA < atA || startB < atB) continue
    gain += search.alignStep(atA, startA, atB, startB)
    atA = startA
    atB = startB
    while (atA < a.length && atB < b.length && a[atA] === b[atB]) {
      gain += values[a[atA] as number] as number
      atA += 1
      atB += 1
    }
  }
  return gain + search.alignStep(atA, a.length, atB, b.length)
}

/** Where a search got to, and what the tokens it matched on the way are worth. */
interface Reached {
  readonly atA: number
  readonly atB: number
  readonly gain: number
}

/** Myers' greedy search over diagonals, which keeps the worth of each path in place of the path. */
class DifferenceSearch {
  readonly #a: Int32Array
  readonly #b: Int32Array
  readonly #values: Float64Array
  readonly #differences: number
  /** Per diagonal (place in a minus place in b) how far in a the best path is, -1 without one; and its worth. */
  readonly #furthest: Int32Array
  readonly #gains: Float64Array

  constructor(a: Int32Array, b: Int32Array, values: Float64Array, differences: number) {
    this.#a = a
    this.#b = b
    this.#values = values
    this.#differences = differences
    this.#furthest = new Int32Array(2 * differences + 3)
    this.#gains = new Float64Array(2 * differences + 3)
  }

  /** Aligns two stretches by searches one after the other, each from where the one before got to. */
  alignStep(startA: number, endA: number, startB: number, endB: number): number {
    let gain = 0
    let atA = startA
    let atB = startB
    while (atA < endA && atB < endB) {
      const reached = this.advance(atA, endA, atB, endB)
      gain += reached.gain
      atA = reached.atA
      atB = reached.atB
    }
    return gain
  }

  /** Searches from the start to the end; out of differences, it gives the path that got furthest. */
  advance(startA: number, endA: number, startB: number, endB: number): Reached {
    const lengthA = endA - startA
    const lengthB = endB - startB
    const middle = this.#differences + 1
    this.#furthest.fill(-1)
    this.#furthest[middle + 1] = 0
    this.#gains[middle + 1] = 0
    let best: Reached = { atA: startA, atB: startB, gain: 0 }
    for (let count = 0; count <= this.#differences; count += 1) {
      const isLast = count === this.#differences
      const lowest = -count + 2 * Math.max(0, count - lengthB)
      const highest = count - 2 * Math.max(0, count - lengthA)
      for (let diagonal = lowest; diagonal <= highest; diagonal += 2) {
        const x = this.#extend(diagonal, middle, startA, lengthA, startB, lengthB)
        if (x < 0) continue
        const y = x - diagonal
        const isEnd = x === lengthA && y === lengthB
        if (isEnd || (isLast && startA + startB + x + y > best.atA + best.atB)) {
          best = { atA: startA + x, atB: startB + y, gain: this.#gains[middle + diagonal] as number }
        }
        if (isEnd) return best
      }
    }
    return best
  }

  /** Takes the better step onto a diagonal and follows it while tokens are equal; -1 where no step is possible. */
  #extend(
    diagonal: number,
    middle: number,
    startA: number,
    lengthA: number,
    startB: number,
    lengthB: number,
  ): number {
    const slot = middle + diagonal
    const left = this.#furthest[slot - 1] as number
    const above = this.#furthest[slot + 1] as number
    const byA = left >= 0 && left < lengthA ? left + 1 : -1
    const byB = above >= 0 && above - diagonal <= lengthB ? above : -1
    let x = Math.max(byA, byB)
    if (x >= 0) {
      let gain = this.#gains[byA > byB ? slot - 1 : slot + 1] as number
      let y = x - diagonal
      while (x < lengthA && y < lengthB && this.#a[startA + x] === this.#b[startB + y]) {
        gain += this.#values[this.#a[startA + x] as number] as number
        x += 1
        y += 1
      }
      this.#gains[slot] = gain
    }
    this.#furthest[slot] = x
    return x
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
