import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
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

for (const [what, pooled] of Object.entries({
  'a short text': Buffer.from('a few bytes'),
  'a few bytes that were unpacked': zstdDecompressSync(zstdCompressSync('a few bytes')),
})) {
  test(`leaves ${what} alone, which may share memory with strangers`, () => {
    releaseBytes(pooled)
    assert.equal(pooled.toString(), 'a few bytes')
  })
}
