import assert from 'node:assert/strict'
import { test } from 'node:test'
import { designEffect, failedTraces } from './design-effect.ts'

/** Traces of so many units, of which so many failed. */
function unitsOf(...traces: readonly (readonly [size: number, failed: number])[]) {
  return traces.flatMap(([size, failed], trace) =>
    Array.from({ length: size }, (_, at) => ({ traceId: `trace ${trace}`, isFailure: at < failed })),
  )
}

const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item)

test('traces of one unit say as much as independent units', () => {
  assert.equal(
    designEffect(unitsOf(...times(50, [1, 0] as const)), unitsOf(...times(30, [1, 1] as const))),
    1,
  )
})

test('a single trace with all failures says hardly more than one unit', () => {
  const before = unitsOf(...times(40, [5, 1] as const), ...times(40, [5, 0] as const))
  const effect = designEffect(before, unitsOf([200, 200]))
  assert.ok(effect >= 0.1 * 199, String(effect))
})

test('traces that failed as a whole before make later units count less than traces that failed in parts', () => {
  const after = unitsOf(...times(20, [10, 5] as const))
  const whole = unitsOf(...times(20, [10, 0] as const), ...times(5, [10, 10] as const))
  const parts = unitsOf(...times(25, [10, 2] as const))
  assert.ok(designEffect(whole, after) > 3 * designEffect(parts, after))
})

test('a trace with several failures is one failed trace', () => {
  assert.equal(failedTraces(unitsOf([5, 3], [2, 0], [1, 1])), 2)
})
