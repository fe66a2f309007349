import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeSpans, testId } from '../../../tests/otlp/encode-traces.ts'
import { scanTraces } from '../../domain/otlp/scan-traces.ts'
import { encodeRpcStatus, encodeTraceResponse, partialSuccessOf, RPC_CODES } from './otlp-answers.ts'

const good = { traceId: testId(16, 1), spanId: testId(8, 1) }

test('a request that was accepted as a whole gets an empty answer', () => {
  assert.equal(partialSuccessOf(scanTraces(encodeSpans(good))), undefined)
  assert.equal(encodeTraceResponse('protobuf').length, 0)
  assert.equal(encodeTraceResponse('json').toString(), '{}')
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

test('a partial success has the shape of each encoding', () => {
  const partial = { rejectedSpans: 2, errorMessage: 'no' }
  assert.equal(
    encodeTraceResponse('json', partial).toString(),
    '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no"}}',
  )
  assert.equal(encodeTraceResponse('protobuf', partial).toString('hex'), '0a06080212026e6f')
})

test('an error is a google.rpc.Status in each encoding', () => {
  assert.equal(
    encodeRpcStatus('json', RPC_CODES.invalidArgument, 'bad').toString(),
    '{"code":3,"message":"bad"}',
  )
  assert.equal(encodeRpcStatus('protobuf', 3, 'bad').toString('hex'), '08031203626164')
})
