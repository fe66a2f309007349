import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { ByteModel, packColumns, readByteModel, STEP_BITS } from './byte-model.ts'

const encoder = new TextEncoder()
const shipped = readByteModel(
  readFileSync(new URL('../../../models/prompt-perplexity/byte-model.bin.br', import.meta.url)),
)

// Grams: (empty), a, b, ab, bb, abb. Costs and leaving costs in steps, easy to tell apart.
const SMALL = {
  bytes: Uint8Array.of(0, 97, 98, 98, 98, 98),
  costs: Uint8Array.of(0, 1, 2, 4, 8, 16),
  childCounts: Uint8Array.of(2, 1, 1, 1, 0, 0),
  leaving: Uint8Array.of(3, 5, 7, 11, 0, 0),
}

function costsOf(text: string): number[] {
  return [...new ByteModel(SMALL).costsOf(encoder.encode(text), new Uint8Array())]
}

test('a byte is priced after the longest context that knows it', () => {
  // a alone, ab after a, abb after ab.
  assert.deepEqual(costsOf('abb'), [1, 4, 16])
})

test('leaving a context is paid before the shorter one is asked', () => {
  // After ab comes a: leave ab (11), leave b (7), then a alone (1).
  assert.deepEqual(costsOf('aba'), [1, 4, 11 + 7 + 1])
})

test('a gram that nothing follows is left without a price', () => {
  // abb has no children: on to bb, which has none either, on to b, which knows b.
  assert.deepEqual(costsOf('abbb'), [1, 4, 16, 8])
})

test('a byte that is nowhere in the model is one of 256', () => {
  assert.deepEqual(costsOf('z'), [3 + 8 / STEP_BITS])
  assert.deepEqual(costsOf('azb'), [1, 5 + 3 + 64, 2])
})

test('the bytes before a text count as context and are not priced', () => {
  const costs = new ByteModel(SMALL).costsOf(encoder.encode('b'), encoder.encode('a'))
  assert.deepEqual([...costs], [4])
})

test('a text costs the same whatever was read before it', () => {
  const texts = ['The quick brown fox', 'zq9#!~', 'привет', 'for (let i = 0; i < n; i++)']
  const cold = texts.map((text) => [
    ...readByteModel(brotliCompressSync(packColumns(SMALL))).costsOf(encoder.encode(text), new Uint8Array()),
  ])
  const warm = readByteModel(brotliCompressSync(packColumns(SMALL)))
  const again = [...texts, ...texts].map((text) => [...warm.costsOf(encoder.encode(text), new Uint8Array())])
  assert.deepEqual(again, [...cold, ...cold])
})

test('a file that is cut off or of another kind is refused', () => {
  const file = packColumns(SMALL)
  for (const damaged of [file.subarray(0, -1), file.subarray(1), Buffer.from('no model'), new Uint8Array()]) {
    assert.throws(() => readByteModel(brotliCompressSync(damaged)), /damaged/)
  }
  const wrong = { ...SMALL, childCounts: Uint8Array.of(2, 1, 1, 1, 0, 1) }
  assert.throws(() => readByteModel(brotliCompressSync(packColumns(wrong))), /damaged/)
})

test('what the shipped model says after a context is a probability: 256 of them sum to one', () => {
  const contexts = ['', 'What is the capi', 'Please wri', 'function (', '日本', 'xqz}{', '\n\n', 'Herr Mü']
  for (const context of contexts) {
    let sum = 0
    for (let byte = 0; byte < 256; byte++) {
      const [cost = 0] = shipped.costsOf(Uint8Array.of(byte), encoder.encode(context))
      sum += 2 ** (-cost * STEP_BITS)
    }
    // Costs are rounded to an eighth of a bit, which is 4 % either way.
    assert.ok(sum > 0.95 && sum < 1.05, `after ${JSON.stringify(context)} they sum to ${sum}`)
  }
})
