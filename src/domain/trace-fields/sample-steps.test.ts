import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleSteps } from './sample-steps.ts'

const never = () => false

test('all steps are kept where there is room', () => {
  assert.deepEqual(sampleSteps(3, 3, never), [0, 1, 2])
  assert.deepEqual(sampleSteps(0, 3, never), [])
})

test('first and last are kept, and the others evenly spread between them', () => {
  assert.deepEqual(sampleSteps(101, 6, never), [0, 20, 40, 60, 80, 100])
  assert.deepEqual(sampleSteps(9, 2, never), [0, 8])
  assert.deepEqual(sampleSteps(9, 1, never), [8])
})

test('errors are kept before other steps', () => {
  const kept = sampleSteps(1_000, 10, (step) => step === 17 || step === 611)
  assert.ok(kept.includes(17) && kept.includes(611), kept.join())
  assert.equal(kept.length, 10)
})

test('errors leave room, so that a trace with many of them still shows its way', () => {
  const kept = sampleSteps(1_000, 10, (step) => step >= 900)
  assert.equal(kept.length, 10)
  assert.deepEqual(kept.slice(0, 5), [0, 199, 398, 597, 796])
  assert.equal(sampleSteps(1_000, 10, () => true).length, 10)
})
