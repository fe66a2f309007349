import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreHealth } from './store-health.ts'
import { storeUnavailable } from './store-outage.ts'

test('an outage stands for the store for a while, counted from the last write that met it', () => {
  let nowMs = 0
  const health = new StoreHealth(() => nowMs)
  health.check()
  health.failed(storeUnavailable('its disk is full', undefined))
  nowMs = 4_000
  assert.throws(() => health.check(), /disk is full/)
  health.failed(storeUnavailable('it is read-only', undefined))
  nowMs = 9_000
  assert.throws(() => health.check(), /read-only/)
  nowMs = 9_001
  health.check()
})
