import assert from 'node:assert/strict'
import { test } from 'node:test'
import { learnPause, QUIET_MS_MAX, quietMs } from './quiet-time.ts'

const after = (knownMs: number, pauseMs: number, times: number) => {
  let known = knownMs
  for (let time = 0; time < times; time++) known = learnPause(known, pauseMs)
  return known
}

test('a service that was never seen to pause is waited for as long as is set', () => {
  assert.equal(quietMs(undefined, 2_000), 2_000)
})

test('a service that pauses is waited for longer than it usually does, within limits', () => {
  assert.equal(quietMs(4_000, 2_000), 6_000)
  assert.equal(quietMs(100, 2_000), 2_000)
  assert.equal(quietMs(2_000.3, 2_000), 3_001)
  assert.equal(quietMs(3_600_000, 2_000), QUIET_MS_MAX)
})

test('a service that begins to pause for longer is learned within a few traces', () => {
  assert.ok(after(100, 9_000, 10) > 7_500)
})

test('one straggler does not make everybody wait for as long as it took', () => {
  assert.ok(quietMs(after(100, 30_000, 1), 2_000) < 10_000)
})

test('a slow day is forgotten', () => {
  assert.ok(after(9_000, 100, 10) > 8_000)
  assert.ok(after(9_000, 100, 1_000) < 200)
})
