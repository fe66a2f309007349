import assert from 'node:assert/strict'
import { test } from 'node:test'
import { histogramOf } from './histogram.ts'

const total = (bins: readonly { count: number }[]) => bins.reduce((sum, { count }) => sum + count, 0)

test('scores between 0 and 1 get bins from 0 to 1, with 1 in the last', () => {
  const bins = histogramOf(
    [
      [0, 1],
      [0.12, 2],
      [1, 4],
    ],
    { min: 0, max: 1, isWhole: false },
  )
  assert.equal(bins.length, 20)
  assert.deepEqual(bins[0], { from: 0, to: 0.05, count: 1 })
  assert.deepEqual(bins[2], { from: 0.1, to: 0.15, count: 2 })
  assert.deepEqual(bins[19], { from: 0.95, to: 1, count: 4 })
  assert.equal(total(bins), 7)
})

test('whole numbers get a bin each as long as they are few', () => {
  const values = [3, 5, 5, 6].map((value) => [value, 1] as const)
  assert.deepEqual(histogramOf(values, { min: 3, max: 6, isWhole: true }), [
    { from: 3, to: 4, count: 1 },
    { from: 4, to: 5, count: 0 },
    { from: 5, to: 6, count: 2 },
    { from: 6, to: 7, count: 1 },
  ])
  const many = histogramOf([[999, 1]], { min: 0, max: 999, isWhole: true })
  assert.deepEqual([many.length, many[19]], [20, { from: 950, to: 1_000, count: 1 }])
})

test('other numbers get bins with round edges that cover all of them', () => {
  const bins = histogramOf(
    [
      [-3.7, 1],
      [18.2, 5],
    ],
    { min: -3.7, max: 18.2, isWhole: false },
  )
  assert.deepEqual(bins[0], { from: -4, to: -2, count: 1 })
  assert.deepEqual(bins.at(-1), { from: 18, to: 20, count: 5 })
})

test('values that are all the same are one bin, and none is lost at the ends of what numbers can hold', () => {
  assert.deepEqual(histogramOf([[7.5, 3]], { min: 7.5, max: 7.5, isWhole: false }), [
    { from: 7.5, to: 7.5, count: 3 },
  ])
  const [low, high] = [-Number.MAX_VALUE, Number.MAX_VALUE]
  const bins = histogramOf(
    [
      [low, 1],
      [high, 1],
    ],
    { min: low, max: high, isWhole: false },
  )
  assert.equal(total(bins), 2)
})
