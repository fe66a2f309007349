import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeResponse, encodeRpcStatus, RPC_CODES } from './otlp-answers.ts'

test('a request that was accepted as a whole gets an empty answer', () => {
  assert.equal(encodeResponse('protobuf').length, 0)
  assert.equal(encodeResponse('json').toString(), '{}')
})

test('a partial success has the shape of each encoding', () => {
  const partial = { name: 'rejectedSpans', count: 2, errorMessage: 'no' } as const
  assert.equal(
    encodeResponse('json', partial).toString(),
    '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no"}}',
  )
  assert.equal(encodeResponse('protobuf', partial).toString('hex'), '0a06080212026e6f')
  assert.equal(
    encodeResponse('json', { ...partial, name: 'rejectedLogRecords' }).toString(),
    '{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"no"}}',
  )
})

test('an error is a google.rpc.Status in each encoding', () => {
  assert.equal(
    encodeRpcStatus('json', RPC_CODES.invalidArgument, 'bad').toString(),
    '{"code":3,"message":"bad","error":"bad"}',
  )
  assert.equal(encodeRpcStatus('protobuf', 3, 'bad').toString('hex'), '08031203626164')
})
