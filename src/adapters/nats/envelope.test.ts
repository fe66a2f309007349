import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { test } from 'node:test'
import type { QueuedRequest } from '../../ports/span-stream.ts'
import { decodeEnvelope, encodeEnvelope } from './envelope.ts'

test('messages keep their form, because a stream holds those of earlier versions', () => {
  const request: QueuedRequest = {
    receivedAtMs: 7,
    byteLength: 3,
    knownFaults: [1],
    tenant: { orgId: 'o', projectId: 'p', envProjectId: 'e' },
    bytes: Buffer.from('abc'),
  }
  const description =
    '{"receivedAtMs":7,"byteLength":3,"knownFaults":[1],"scope":{"orgId":"o","projectId":"p","envProjectId":"e"}}'
  const message = Buffer.concat([
    Buffer.from([1, 0, 0, 0, description.length]),
    Buffer.from(`${description}abc`),
  ])
  assert.deepEqual(Buffer.from(encodeEnvelope(request)), message)
  const { bytes, ...read } = decodeEnvelope(message)
  const { bytes: _, ...rest } = request
  assert.deepEqual([read, Buffer.from(bytes)], [rest, Buffer.from('abc')])
})

test('content of spans has a form of its own, which an earlier version puts aside instead of taking it for spans', () => {
  const request: QueuedRequest = {
    ...{ receivedAtMs: 7, byteLength: 3, knownFaults: [], isContent: true, bytes: Buffer.from('abc') },
    tenant: { orgId: 'o', projectId: 'p', envProjectId: 'e' },
  }
  const message = encodeEnvelope(request)
  assert.equal(message[0], 2)
  const { bytes, ...read } = decodeEnvelope(message)
  const { bytes: _, ...rest } = request
  assert.deepEqual([read, Buffer.from(bytes)], [rest, Buffer.from('abc')])
})
