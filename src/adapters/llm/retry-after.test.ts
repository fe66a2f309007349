import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterMs } from './retry-after.ts'

const NOW_MS = Date.parse('2026-11-15T12:00:00Z')

for (const [headers, expected] of [
  [{}, undefined],
  [{ 'retry-after': '3' }, 3_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '0.25' }, 250],
  [{ 'retry-after': 'Sun, 15 Nov 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '120', 'retry-after': '9' }, 120],
  [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': 'later' }, undefined],
  [{ 'retry-after': '1e400' }, undefined],
  [{ 'retry-after': 'Sun, 99 Foo 2026 12:00:30 GMT' }, undefined],
] as const) {
  test(`${JSON.stringify(headers)} means ${expected} ms`, () => {
    assert.equal(retryAfterMs(headers, NOW_MS), expected)
  })
}
