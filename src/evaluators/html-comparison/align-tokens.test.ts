import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { alignTokens } from './align-tokens.ts'

const tokens = fc.array(fc.nat(4), { maxLength: 30 })

test('short sequences have their longest common subsequence in common', () => {
  const ones = new Float64Array(5).fill(1)
  fc.assert(
    fc.property(tokens, tokens, (a, b) => {
      assert.equal(alignTokens(Int32Array.from(a), Int32Array.from(b), ones), longestCommon(a, b))
    }),
    { numRuns: 500 },
  )
})

test('each common token adds its value', () => {
  assert.equal(
    alignTokens(Int32Array.of(0, 1, 2), Int32Array.of(1, 2, 3), Float64Array.of(1, 10, 100, 1000)),
    110,
  )
})

test('a long stretch that is inserted or moved leaves the rest in common', () => {
  const length = 60_000
  const ones = new Float64Array(3 * length).fill(1)
  const range = (start: number, count: number) => Array.from({ length: count }, (_, index) => start + index)
  const whole = Int32Array.from(range(0, length))
  const inserted = Int32Array.from([
    ...range(0, 20_000),
    ...range(length, 30_000),
    ...range(20_001, length - 20_001),
  ])
  assert.equal(alignTokens(whole, inserted, ones), length - 1)
  const moved = Int32Array.from([...range(40_000, 20_000), ...range(0, 40_000)])
  assert.equal(alignTokens(whole, moved, ones), 40_000)
})

test('long sequences without any order in common are aligned in time in proportion', async () => {
  const ones = new Float64Array(7).fill(1)
  const align = (length: number) => {
    const a = Int32Array.from({ length }, (_, index) => (index * index) % 7)
    const b = Int32Array.from({ length }, (_, index) => (index * 3 + ((index >> 3) % 5)) % 7)
    return () => {
      const common = alignTokens(a, b, ones)
      assert.ok(common > length / 4 && common < length)
    }
  }
  await assertGrowth(align(6_250), align(400_000), { factor: 64 })
})

function longestCommon(a: readonly number[], b: readonly number[]): number {
  let row = new Array<number>(b.length + 1).fill(0)
  for (const left of a) {
    const next = [0]
    for (const [index, right] of b.entries()) {
      const diagonal = (row[index] ?? 0) + (left === right ? 1 : 0)
      next.push(Math.max(diagonal, row[index + 1] ?? 0, next[index] ?? 0))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
