import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentRetryMs } from './content-wait.ts'

const at = (ageMs: number, more = {}) =>
  contentRetryMs({ receivedAtMs: 1_000_000, nowMs: 1_000_000 + ageMs, waitMs: 20_000, attempt: 1, ...more })

test('content is looked for when the span is twice as old, and at the end of the wait', () => {
  assert.deepEqual([at(0), at(500), at(3_000), at(12_000), at(19_999)], [1_000, 1_000, 3_000, 8_000, 1])
})

test('the wait has an end, also where there is none, the span is old or the clock was set back', () => {
  assert.deepEqual([at(20_000), at(86_400_000), at(0, { waitMs: 0 })], [undefined, undefined, undefined])
  assert.deepEqual([at(-86_400_000), at(-86_400_000, { attempt: 12 })], [1_000, undefined])
})
