import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseBytes } from './release-bytes.ts'

test('gives back the memory of large bytes, also twice', () => {
  const bytes = Buffer.alloc(1_000_000)
  releaseBytes(bytes)
  assert.equal(bytes.buffer.byteLength, 0)
  assert.equal(bytes.length, 0)
  releaseBytes(bytes)
})

test('leaves alone what may share its memory with strangers', () => {
  const pooled = Buffer.from('a few bytes')
  releaseBytes(pooled)
  assert.equal(pooled.toString(), 'a few bytes')
})
