import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deepEqual, hasDuplicates } from './deep-equal.ts'
import { startRun } from './run.ts'

const unique = (items: readonly unknown[]) => !hasDuplicates(items, startRun(undefined))

test('texts that look alike in canonical form stay different', () => {
  assert.ok(unique([['a', 'b'], ['a,b'], ['a","b'], [['a'], 'b'], { a: 'b' }, { 'a:b': 1 }]))
  assert.ok(unique([[1], ['1'], [true], ['true'], [null], ['null'], [], {}, [[]], [{}]]))
})

test('numbers too large for a double are not null', () => {
  assert.ok(unique([JSON.parse('[1e400]'), [null], [-1]]))
})

test('items are duplicates exactly when they are equal, whatever the order of their keys', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
      assert.equal(unique([a, b]), !deepEqual(a, b))
      assert.equal(unique([a, reordered(a)]), false)
      assert.equal(deepEqual(a, reordered(a)), true)
    }),
  )
})

function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reordered(item)]),
  )
}
