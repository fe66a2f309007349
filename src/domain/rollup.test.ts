import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  addToRollup,
  emptyRollup,
  mergeRollups,
  OTHER_LABELS,
  ROLLUP_LABELS_MAX,
  removeFromRollup,
  type ValueRollup,
} from './rollup.ts'

describe('a rollup of values', () => {
  it('counts, sums and bounds numbers and booleans', () => {
    const rollup = rollupOf([3, true, false, -2, 0.5])
    assert.deepEqual(
      { count: rollup.count, sum: rollup.sum, min: rollup.min, max: rollup.max },
      { count: 5, sum: 2.5, min: -2, max: 3 },
    )
    assert.equal(rollup.sketch?.count, 5)
    assert.equal(rollup.sketch?.quantile(0.5), 0.5)
    assert.equal(rollup.labels, undefined)
  })

  it('counts texts by label', () => {
    const rollup = rollupOf(['joy', 'anger', 'joy'])
    assert.deepEqual({ ...rollup.labels }, { joy: 2, anger: 1 })
    assert.equal(rollup.count, 0)
    assert.equal(rollup.min, undefined)
    assert.equal(rollup.sketch, undefined)
  })

  it('ignores what has no place on a chart', () => {
    const ignored = [null, undefined, Number.NaN, Infinity, -Infinity, {}, [1], 5n, Symbol('x'), () => 1]
    assert.deepEqual(rollupOf(ignored), emptyRollup())
  })

  it('counts texts that are too many or too long under one key', () => {
    const rollup = rollupOf(Array.from({ length: 80 }, (_, at) => `label ${at}`))
    addToRollup(rollup, 'label 3')
    addToRollup(rollup, 'x'.repeat(65))
    assert.equal(Object.keys(rollup.labels ?? {}).length, ROLLUP_LABELS_MAX + 1)
    assert.equal(rollup.labels?.['label 3'], 2)
    assert.equal(rollup.labels?.[OTHER_LABELS], 31)
  })

  it('treats the names that every object has as labels', () => {
    const rollup = rollupOf(['constructor', '__proto__', 'toString'])
    const stored: ValueRollup = { count: 0, sum: 0, labels: JSON.parse(JSON.stringify(rollup.labels)) }
    mergeRollups(stored, rollup)
    assert.deepEqual(Object.entries(stored.labels ?? {}).sort(), [
      ['__proto__', 2],
      ['constructor', 2],
      ['toString', 2],
    ])
  })

  it('is, merged from parts, the rollup of the whole', () => {
    const value = fc.oneof(
      fc.integer({ min: -1_000, max: 1_000 }),
      fc.boolean(),
      fc.constantFrom('a', 'b', 'c'),
    )
    fc.assert(
      fc.property(fc.array(fc.array(value)), (lists) => {
        const merged = emptyRollup()
        for (const list of lists) mergeRollups(merged, rollupOf(list))
        const whole = rollupOf(lists.flat())
        assert.deepEqual(plain(merged), plain(whole))
      }),
    )
  })

  it('is, with values taken out again, the rollup of the others', () => {
    const value = fc.oneof(
      fc.integer({ min: -50, max: 50 }),
      fc.boolean(),
      fc.constantFrom('a', 'b', 'c', 'constructor'),
    )
    fc.assert(
      fc.property(fc.array(value), fc.array(value), (kept, gone) => {
        const rollup = rollupOf([...kept, ...gone])
        for (const each of [...gone, null, Number.NaN, {}]) removeFromRollup(rollup, each)
        // Whole numbers below 50 have buckets of their own, so that even the bounds are exact.
        assert.deepEqual(plain(rollup), plain(rollupOf(kept)))
      }),
      { numRuns: 300 },
    )
  })

  it('tells a bound within 1 % after the outermost of values close together went', () => {
    const rollup = rollupOf([0.5, 0.5001, 0.5002, 0.9])
    removeFromRollup(rollup, 0.5)
    assert.ok(Math.abs((rollup.min as number) - 0.5001) <= 0.005)
    assert.equal(rollup.max, 0.9)
    removeFromRollup(rollup, 0.9)
    assert.ok(Math.abs((rollup.max as number) - 0.5002) <= 0.005)
    assert.ok((rollup.max as number) >= (rollup.min as number))
  })

  it('takes texts out of where they were counted, also when there were too many', () => {
    const labels = Array.from({ length: ROLLUP_LABELS_MAX + 2 }, (_, at) => `label ${at}`)
    const rollup = rollupOf(labels)
    removeFromRollup(rollup, 'label 0')
    addToRollup(rollup, `label ${ROLLUP_LABELS_MAX}`)
    assert.equal(rollup.labels?.[OTHER_LABELS], 3)
    for (const at of [ROLLUP_LABELS_MAX, ROLLUP_LABELS_MAX, ROLLUP_LABELS_MAX + 1]) {
      removeFromRollup(rollup, `label ${at}`)
    }
    removeFromRollup(rollup, 'never seen')
    const shown = emptyRollup()
    mergeRollups(shown, rollup)
    assert.deepEqual(Object.keys(shown.labels ?? {}).sort(), labels.slice(1, ROLLUP_LABELS_MAX).sort())
  })

  it('leaves the merged part as it was', () => {
    const part = rollupOf([1, 2])
    const whole = emptyRollup()
    mergeRollups(whole, part)
    addToRollup(whole, 3)
    assert.deepEqual(plain(part), plain(rollupOf([1, 2])))
  })

  it('keeps a sum finite', () => {
    const rollup = rollupOf([1.7e308, 1.7e308])
    mergeRollups(rollup, rollupOf([-1.7e308, -1.7e308]))
    assert.ok(Number.isFinite(rollup.sum))
  })
})

function rollupOf(values: readonly unknown[]): ValueRollup {
  const rollup = emptyRollup()
  for (const value of values) addToRollup(rollup, value)
  return rollup
}

function plain({ sketch, labels, ...rest }: ValueRollup): unknown {
  return { ...rest, sketch: sketch?.encode(), labels: Object.entries(labels ?? {}).sort() }
}
