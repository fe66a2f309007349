import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeRpcStatus, encodeTraceResponse, RPC_CODES } from './otlp-answers.ts'

test('a request that was accepted as a whole gets an empty answer', () => {
  assert.equal(encodeTraceResponse('protobuf').length, 0)
  assert.equal(encodeTraceResponse('json').toString(), '{}')
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
    '{"code":3,"message":"bad","error":"bad"}',
  )
  assert.equal(encodeRpcStatus('protobuf', 3, 'bad').toString('hex'), '08031203626164')
})
