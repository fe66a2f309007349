import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeLag } from './evaluation-lag.ts'

const NOW_MS = 10_000_000
const facts = { latestSpanMs: NOW_MS - 5, latestEvaluationMs: NOW_MS - 1 }

test('nothing waits: no lag, evaluated up to the newest span', () => {
  assert.deepEqual(judgeLag(facts, NOW_MS), {
    lagMs: 0,
    status: 'OK',
    reasons: [],
    evaluatedUpToMs: NOW_MS - 5,
  })
})

test('the lag is how long the oldest waiting span has waited', () => {
  const lagOf = (waitedMs: number) => {
    const { status, reasons, lagMs, evaluatedUpToMs } = judgeLag(
      { ...facts, oldestWaitingMs: NOW_MS - waitedMs },
      NOW_MS,
    )
    assert.equal(lagMs, waitedMs)
    assert.equal(evaluatedUpToMs, NOW_MS - waitedMs)
    return [status, ...reasons]
  }
  assert.deepEqual(lagOf(180_000), ['OK'])
  assert.deepEqual(lagOf(180_001), ['DEGRADED', 'LAG_HIGH'])
  assert.deepEqual(lagOf(600_000), ['DEGRADED', 'LAG_HIGH'])
  assert.deepEqual(lagOf(600_001), ['ERROR', 'LAG_HIGH'])
})

test('without any result it is not known how far evaluating has come', () => {
  const none = { lagMs: 0, status: 'ERROR', reasons: ['NO_EVALUATION_DATA'] }
  assert.deepEqual(judgeLag({}, NOW_MS), none)
  assert.deepEqual(judgeLag({ latestSpanMs: 5 }, NOW_MS), none)
  assert.deepEqual(judgeLag({ oldestWaitingMs: 0 }, NOW_MS).reasons, ['LAG_HIGH', 'NO_EVALUATION_DATA'])
})

test('a span from a clock that is ahead has not waited', () => {
  assert.equal(judgeLag({ ...facts, oldestWaitingMs: NOW_MS + 50 }, NOW_MS).lagMs, 0)
})
