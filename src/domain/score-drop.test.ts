import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasDropped } from './score-drop.ts'

const values = (mean: number, count: number) => ({ mean, count, min: 0, max: 1 })

test('a clear fall is a drop', () => {
  assert.equal(hasDropped(values(0.5, 100), values(0.9, 100), false), true)
})

test('what grows, stays or falls by little is none', () => {
  assert.equal(hasDropped(values(0.9, 100), values(0.5, 100), false), false)
  assert.equal(hasDropped(values(0.9, 100), values(0.9, 100), false), false)
  assert.equal(hasDropped(values(0.85, 1_000_000), values(0.9, 1_000_000), false), false)
})

test('where larger values are worse, growing is the drop', () => {
  assert.equal(hasDropped(values(0.9, 100), values(0.5, 100), true), true)
  assert.equal(hasDropped(values(0.5, 100), values(0.9, 100), true), false)
})

test('too few units on either side say nothing', () => {
  assert.equal(hasDropped(values(0.1, 29), values(0.9, 1_000), false), false)
  assert.equal(hasDropped(values(0.1, 1_000), values(0.9, 29), false), false)
  assert.equal(hasDropped(values(0.1, 30), values(0.9, 30), false), true)
})

test('what chance explains is none', () => {
  assert.equal(hasDropped(values(0.6, 30), values(0.75, 30), false), false)
  assert.equal(hasDropped(values(0.6, 300), values(0.75, 300), false), true)
})
