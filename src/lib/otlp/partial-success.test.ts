import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeSpans, testId } from '../../../tests/otlp/encode-traces.ts'
import { partialSuccessOf } from './partial-success.ts'
import { scanTraces } from './scan-traces.ts'

const good = { traceId: testId(16, 1), spanId: testId(8, 1) }

test('there is nothing to tell about a request that was accepted as a whole', () => {
  assert.equal(partialSuccessOf(scanTraces(encodeSpans(good))), undefined)
})

test('rejected spans are counted and explained, the first of them one by one', () => {
  const partial = partialSuccessOf(scanTraces(encodeSpans(good, { spanId: good.spanId })))
  assert.deepEqual(partial, {
    rejectedSpans: 1,
    errorMessage: '1 of 2 spans rejected: span 1: trace id is 0 bytes long, not 16',
  })
  const many = partialSuccessOf(scanTraces(encodeSpans(...Array(30).fill({}))))
  assert.match(many?.errorMessage ?? '', /^30 of 30 spans rejected: .*; and 10 more$/)
})
