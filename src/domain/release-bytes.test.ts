import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseBytes } from './release-bytes.ts'

for (const [what, bytes] of Object.entries({
  'large bytes': Buffer.alloc(1_000_000),
  'a piece of a request': Buffer.alloc(Buffer.poolSize),
  'bytes that do not fill their memory': Buffer.alloc(1_000_000).subarray(0, 999_999),
})) {
  test(`gives back the memory of ${what}, and does no harm the second time`, () => {
    releaseBytes(bytes)
    assert.equal(bytes.buffer.byteLength, 0)
    assert.equal(bytes.length, 0)
    releaseBytes(bytes)
  })
}

test('leaves alone what may share its memory with strangers', () => {
  const pooled = Buffer.from('a few bytes')
  releaseBytes(pooled)
  assert.equal(pooled.toString(), 'a few bytes')
})
