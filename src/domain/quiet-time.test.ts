import assert from 'node:assert/strict'
import { test } from 'node:test'
import { learnPause, QUIET_MS_MAX, quietMs } from './quiet-time.ts'

test('a service that was never seen to pause is waited for as long as is set', () => {
  assert.equal(quietMs(undefined, 2_000), 2_000)
})

test('a service that pauses is waited for longer than it ever paused, within limits', () => {
  assert.equal(quietMs(4_000, 2_000), 6_000)
  assert.equal(quietMs(100, 2_000), 2_000)
  assert.equal(quietMs(3_600_000, 2_000), QUIET_MS_MAX)
})

test('the longest pause is learned at once and forgotten slowly', () => {
  let longest = learnPause(undefined, 500)
  assert.equal(longest, 500)
  longest = learnPause(longest, 9_000)
  assert.equal(longest, 9_000)
  for (let trace = 0; trace < 10; trace++) longest = learnPause(longest, 100)
  assert.ok(longest > 8_000, String(longest))
  for (let trace = 0; trace < 1_000; trace++) longest = learnPause(longest, 100)
  assert.ok(longest < 200, String(longest))
})
