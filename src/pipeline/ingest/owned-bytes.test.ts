import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownedBytes } from './owned-bytes.ts'

test('takes memory over as a whole where nobody shares it', () => {
  const alone = Buffer.alloc(100_000, 1)
  assert.equal(ownedBytes(alone).buffer, alone.buffer)
})

test('copies what lies in memory that others use too', () => {
  const pooled = Buffer.from('a few bytes')
  const part = Buffer.alloc(100_000, 1).subarray(10)
  for (const shared of [pooled, part]) {
    const owned = ownedBytes(shared)
    assert.notEqual(owned.buffer, shared.buffer)
    assert.equal(owned.buffer.byteLength, shared.length)
    assert.deepEqual(Buffer.from(owned), shared)
  }
})
