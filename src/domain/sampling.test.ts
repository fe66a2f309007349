import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { isSampled, samplingNumber } from './sampling.ts'

/** The published algorithm, letter by letter, for texts of any length. */
function murmur3(bytes: Uint8Array, seed: bigint): bigint {
  const mask = 0xffffffffn
  const rotate = (value: bigint, by: bigint) => ((value << by) | (value >> (32n - by))) & mask
  const mix = (word: bigint) => (rotate((word * 0xcc9e2d51n) & mask, 15n) * 0x1b873593n) & mask
  let hash = seed
  const tailAt = bytes.length - (bytes.length % 4)
  for (let at = 0; at < tailAt; at += 4) {
    const [a, b, c, d] = [...bytes.subarray(at, at + 4)].map(BigInt) as [bigint, bigint, bigint, bigint]
    hash ^= mix(a | (b << 8n) | (c << 16n) | (d << 24n))
    hash = (rotate(hash, 13n) * 5n + 0xe6546b64n) & mask
  }
  let tail = 0n
  for (const byte of [...bytes.subarray(tailAt)].toReversed()) tail = (tail << 8n) | BigInt(byte)
  hash ^= mix(tail)
  hash ^= BigInt(bytes.length)
  hash = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & mask
  hash = ((hash ^ (hash >> 13n)) * 0xc2b2ae35n) & mask
  return hash ^ (hash >> 16n)
}

const sha = (at: number) => createHash('sha256').update(`trace ${at}`).digest('hex').slice(0, 32)
const counted = (at: number) => at.toString(16).padStart(32, '0')
const countedAtTheHead = (at: number) => (at + 1).toString(16).padStart(8, '0').padEnd(32, '0')

describe('the number of a trace', () => {
  test('is MurmurHash3 of its id over 2^32, the same for bytes and for hex', () => {
    // Values that are published with the algorithm.
    assert.equal(murmur3(Buffer.from('Hello, world!'), 0n), 0xc0363e43n)
    assert.equal(murmur3(Buffer.from('The quick brown fox jumps over the lazy dog'), 0n), 0x2e4ff723n)
    for (let at = 0; at < 2_000; at++) {
      const id = at % 2 === 0 ? sha(at) : counted(at)
      assert.equal(samplingNumber(id) * 2 ** 32, Number(murmur3(Buffer.from(id, 'hex'), 0n)), id)
      assert.equal(samplingNumber(Buffer.from(id, 'hex')), samplingNumber(id))
    }
  })

  test('is the same in every version: a change would let other traces through than before', () => {
    assert.equal(samplingNumber('0af7651916cd43dd8448eb211c80319c'), 0.7726882474962622)
  })

  for (const [name, idOf] of Object.entries({ random: sha, counted, countedAtTheHead })) {
    test(`is uniform over ids that are ${name}`, () => {
      const cells = new Array<number>(100).fill(0)
      const total = 50_000
      for (let at = 0; at < total; at++) {
        const cell = Math.floor(samplingNumber(idOf(at)) * 100)
        cells[cell] = (cells[cell] as number) + 1
      }
      const expected = total / 100
      const chiSquare = cells.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
      // 99 degrees of freedom: beyond 160 once in 10,000 honest hashes.
      assert.ok(chiSquare < 160, `chi-square ${chiSquare}`)
    })
  }
})

describe('a rate', () => {
  const ids = Array.from({ length: 5_000 }, (_, at) => counted(at))
  test('of 0 lets none through and of 1 all', () => {
    assert.ok(ids.every((id) => !isSampled(id, 0) && isSampled(id, 1)))
  })
  test('lets through its share, and everything that a lower one does', () => {
    const shareOf = (rate: number) => ids.filter((id) => isSampled(id, rate)).length / ids.length
    for (const rate of [0.01, 0.1, 0.5, 0.9]) assert.ok(Math.abs(shareOf(rate) - rate) < 0.03, `${rate}`)
    assert.ok(ids.every((id) => !isSampled(id, 0.2) || isSampled(id, 0.3)))
  })
  test('compares with the number of the trace', () => {
    const id = sha(1)
    assert.equal(isSampled(id, samplingNumber(id)), false)
    assert.equal(isSampled(id, samplingNumber(id) + 2 ** -32), true)
  })
})
