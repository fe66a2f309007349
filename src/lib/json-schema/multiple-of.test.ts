import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { multipleOfTest } from './multiple-of.ts'

const cases: [value: number, divisor: number, isMultiple: boolean][] = [
  [0, 3, true],
  [-0, 0.1, true],
  [-9, 3, true],
  [10, 3, false],
  [4.5, 1.5, true],
  [0.3, 0.1, true],
  [1.1, 0.1, true],
  [19.99, 0.01, true],
  [19.999, 0.01, false],
  [0.0075, 0.0001, true],
  [0.00751, 0.0001, false],
  [1e-7, 1e-8, true],
  [9007199254740992, 0.5, true],
  [1e22, 7, false],
  [7e22, 7, true],
  [1e308, 0.123456789, false],
  [1e308, 5e-324, true],
  [5e-324, 1e308, false],
  [Number.POSITIVE_INFINITY, 1, false],
]
for (const [value, divisor, isMultiple] of cases) {
  test(`${value} is ${isMultiple ? 'a' : 'no'} multiple of ${divisor}`, () => {
    assert.equal(multipleOfTest(divisor)(value), isMultiple)
  })
}

test('a decimal is a multiple of another exactly when it is in whole numbers', () => {
  const places = fc.integer({ min: 0, max: 8 })
  const whole = fc.integer({ min: -9_999_999, max: 9_999_999 })
  const divisor = fc.integer({ min: 1, max: 5_000 })
  fc.assert(
    fc.property(whole, divisor, places, (value, by, digits) => {
      const scale = 10 ** digits
      assert.equal(multipleOfTest(by / scale)(value / scale), value % by === 0)
      assert.equal(multipleOfTest(by / scale)((value * by) / scale), true)
    }),
  )
})
