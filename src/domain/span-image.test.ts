import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageTypeOf } from './span-image.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

for (const [begin, type] of [
  ['\x89PNG\r\n\x1a\nrest', 'image/png'],
  ['\xff\xd8\xff\xe0rest', 'image/jpeg'],
  ['GIF87a...', 'image/gif'],
  ['GIF89a...', 'image/gif'],
  ['RIFF\x01\x02\x03\x04WEBPVP8 ', 'image/webp'],
  ['RIFF\x01\x02\x03\x04WAVEfmt ', undefined],
  ['\x89PNG', undefined],
  ['<svg xmlns="">', undefined],
  ['BM', undefined],
  ['', undefined],
] as const)
  test(`${JSON.stringify(begin)} is ${type ?? 'no image that is kept'}`, () => {
    assert.equal(imageTypeOf(bytes(begin)), type)
    assert.equal(imageTypeOf(new Uint8Array(Buffer.concat([bytes('xx'), bytes(begin)])).subarray(2)), type)
  })
