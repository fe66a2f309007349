import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { bestAssignment } from './best-assignment.ts'
import { type FlatCall, LeafIndex } from './call-leaves.ts'
import { similarities } from './call-similarity.ts'
import { compareTrajectories } from './compare-trajectories.ts'
import { matchOrdered } from './ordered-match.ts'
import { matchUnordered } from './unordered-match.ts'

// Few names, keys and values, so that generated calls often agree in part.
const args = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(0, 1, 'x', null), { maxKeys: 3 })
const call = fc.record({ name: fc.constantFrom('f', 'g'), input: args })
const calls = (maxLength: number) => fc.array(call, { maxLength })
const config = fc.record({
  threshold: fc.constantFrom(0, 0.5, 1),
  mismatch_sensitive: fc.boolean(),
  order_sensitive: fc.boolean(),
  input_params_sensitive: fc.boolean(),
})

function flatten(...lists: unknown[][]): FlatCall[][] {
  const index = new LeafIndex()
  return lists.map((list) => index.flatten(list, 'calls', true))
}

function score(executed: unknown[], expected: unknown[], settings = {}): number {
  const defaults = {
    threshold: 1,
    mismatch_sensitive: false,
    order_sensitive: false,
    input_params_sensitive: true,
  }
  const input = { executed_tool_calls: executed, expected_tool_calls: expected }
  return compareTrajectories(input, { ...defaults, ...settings }).score
}

const total = (pairs: readonly { similarity: number }[]) =>
  pairs.reduce((sum, pair) => sum + pair.similarity, 0)

/** Tries everything: row `row` stays alone or takes any column that is free (and, with order, lies behind the last). */
function bruteForce(weights: Float64Array, rows: number, columns: number, isOrdered: boolean): number {
  const best = (row: number, taken: number, from: number): number => {
    if (row === rows) return 0
    let most = best(row + 1, taken, from)
    for (let column = from; column < columns; column++) {
      if (taken & (1 << column)) continue
      const rest = best(row + 1, taken | (1 << column), isOrdered ? column + 1 : 0)
      most = Math.max(most, (weights[row * columns + column] ?? 0) + rest)
    }
    return most
  }
  return best(0, 0, 0)
}

function assertClose(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`)
}

describe('the assignment', () => {
  test('finds the greatest sum of any weights', () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 2 }))
    fc.assert(
      fc.property(
        sizes,
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 24, maxLength: 24 }),
        (size, numbers) => {
          const [rows, columns] = [size[0], size[0] + size[1]]
          const weights = Float64Array.from(numbers.slice(0, rows * columns), (number) => number / 9)
          const chosen = [...bestAssignment(weights, rows, columns)]
          assert.equal(new Set(chosen).size, rows)
          const sum = chosen.reduce((all, column, row) => all + (weights[row * columns + column] ?? 0), 0)
          assertClose(sum, bruteForce(weights, rows, columns, false))
        },
      ),
    )
  })

  test('of calls is the best there is, seen from both sides, although equal calls pair first', () => {
    fc.assert(
      fc.property(calls(5), calls(5), (left, right) => {
        const [a = [], b = []] = flatten(left, right)
        const sum = total(matchUnordered(a, b))
        assertClose(sum, bruteForce(similarities(a, b), a.length, b.length, false))
        assertClose(sum, total(matchUnordered(b, a)))
      }),
    )
  })

  test('in order is the best there is', () => {
    fc.assert(
      fc.property(calls(5), calls(5), (left, right) => {
        const [a = [], b = []] = flatten(left, right)
        assertClose(total(matchOrdered(a, b)), bruteForce(similarities(a, b), a.length, b.length, true))
      }),
    )
  })
})

describe('the score', () => {
  test('lies between 0 and 1, and is exactly 1 for equal lists', () => {
    fc.assert(
      fc.property(calls(8), calls(8), config, (executed, expected, settings) => {
        const value = score(executed, expected, settings)
        assert.ok(value >= 0 && value <= 1)
        assert.equal(score(expected, expected, settings), 1)
      }),
    )
  })

  test('does not depend on the order unless asked to', () => {
    const shuffled = calls(7).chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    )
    fc.assert(
      fc.property(shuffled, calls(7), ([executed, other], expected) => {
        assertClose(score(executed, expected), score(other, expected))
        assertClose(score(expected, executed), score(expected, other))
        assert.ok(score(executed, expected, { order_sensitive: true }) <= score(executed, expected) + 1e-9)
      }),
    )
  })

  test('never rises when an executed call goes, where extra calls are free', () => {
    fc.assert(
      fc.property(calls(7), calls(7), fc.nat(), fc.boolean(), (executed, expected, at, isOrdered) => {
        const fewer = executed.toSpliced(at % Math.max(1, executed.length), 1)
        const settings = { order_sensitive: isOrdered }
        assert.ok(score(fewer, expected, settings) <= score(executed, expected, settings) + 1e-9)
      }),
    )
  })

  test('of one pair is one minus a metric', () => {
    fc.assert(
      fc.property(call, call, call, (x, y, z) => {
        const [all = []] = flatten([x, y, z])
        const near = similarities(all, all)
        const distance = (row: number, column: number) => 1 - (near[row * 3 + column] ?? 0)
        assert.equal(distance(0, 1), distance(1, 0))
        assert.ok(distance(0, 2) <= distance(0, 1) + distance(1, 2) + 1e-9)
      }),
    )
  })
})

test('hundreds of calls of one tool that all differ are compared in cubic time', async () => {
  const list = (length: number, seed: number) =>
    Array.from({ length }, (_, n) => ({
      name: 'f',
      input: Object.fromEntries(Array.from({ length: 20 }, (_, k) => [`k${k}`, ((n + seed) * (k + 7)) % 3])),
    }))
  const compare = (length: number) => () => {
    for (const isOrdered of [false, true])
      score(list(length, 0), list(length, 1001), { order_sensitive: isOrdered })
  }
  // The best pairs of two lists cannot be found faster; trying all pairs would take time without end.
  await assertGrowth(compare(25), compare(200), { factor: 8, power: 3 })
})
