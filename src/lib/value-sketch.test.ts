import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { SKETCH_ACCURACY, SKETCH_BUCKETS_MAX, ValueSketch } from './value-sketch.ts'

const QUANTILES = [0, 0.01, 0.25, 0.5, 0.75, 0.95, 0.99, 1]

const anyValue = fc.oneof(
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: -1e9, max: 1e9, noNaN: true }),
  fc.constantFrom(0, -0, 1, 0.5, -1),
)

describe('a value sketch', () => {
  it('gives every quantile within 1 % of the one computed by sorting', () => {
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: 1, maxLength: 300 }), (values) => {
        const sketch = sketchOf(values)
        for (const q of QUANTILES) {
          const { exact, tolerance } = exactQuantile(values, q)
          assert.ok(Math.abs((sketch.quantile(q) as number) - exact) <= tolerance, `${q} of ${values}`)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is, merged from parts, the sketch of the whole to the byte', () => {
    const parts = fc.array(fc.array(fc.oneof(anyValue, fc.double({ noNaN: true, noDefaultInfinity: true }))))
    fc.assert(
      fc.property(parts, (lists) => {
        const merged = new ValueSketch()
        for (const list of lists) merged.merge(ValueSketch.decode(sketchOf(list).encode()))
        assert.deepEqual(merged.encode(), sketchOf(lists.flat()).encode())
        assert.equal(merged.count, lists.flat().length)
      }),
      { numRuns: 300 },
    )
  })

  it('gives every quantile within 1 % after values were taken out again', () => {
    const values = fc.array(anyValue, { minLength: 1, maxLength: 100 })
    fc.assert(
      fc.property(values, fc.array(anyValue, { maxLength: 100 }), (kept, gone) => {
        const sketch = sketchOf([...gone, ...kept])
        for (const value of gone) assert.ok(sketch.remove(value))
        assert.equal(sketch.count, kept.length)
        const read = ValueSketch.decode(sketch.encode())
        for (const q of QUANTILES) {
          const { exact, tolerance } = exactQuantile(kept, q)
          assert.ok(Math.abs((read.quantile(q) as number) - exact) <= tolerance, `${q} of ${kept}`)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is the empty sketch again when everything was taken out, and has nothing to take out then', () => {
    const values = [3, 3, -2, 0, 1e200, 0.1]
    const sketch = sketchOf(values)
    assert.equal(sketch.remove(4), false)
    assert.equal(sketch.remove(-3), false)
    for (const value of values) assert.ok(sketch.remove(value))
    assert.deepEqual(sketch.encode(), new ValueSketch().encode())
    assert.equal(sketch.count, 0)
    for (const value of values) assert.equal(sketch.remove(value), false)
    assert.throws(() => sketch.remove(Number.NaN), RangeError)
  })

  it('stays bounded, and equal to the merge of its parts, over the whole range of numbers', () => {
    const values = Array.from(
      { length: 60_000 },
      (_, at) => (at % 2 ? -1 : 1) * 10 ** ((at * 630) / 60_000 - 322),
    )
    const whole = sketchOf(values)
    const merged = new ValueSketch()
    const fromBytes = new ValueSketch()
    for (let at = 0; at < values.length; at += 7_000) {
      const part = sketchOf(values.slice(at, at + 7_000))
      merged.merge(part)
      fromBytes.mergeEncoded(part.encode())
    }
    fromBytes.mergeEncoded(new ValueSketch().encode())
    const reversed = sketchOf(values.toReversed())

    assert.ok(whole.encode().length <= SKETCH_BUCKETS_MAX * 12)
    assert.deepEqual(merged.encode(), whole.encode())
    assert.deepEqual(fromBytes.encode(), whole.encode())
    assert.deepEqual(reversed.encode(), whole.encode())
    assert.equal(whole.count, 60_000)
    assert.equal(fromBytes.count, 60_000)
    assert.ok(Number.isFinite(whole.quantile(0)) && Number.isFinite(whole.quantile(1)))
    // Coarser now, but still in the right place: the buckets have a factor of about four between them.
    const { exact } = exactQuantile(values, 0.75)
    const ratio = (whole.quantile(0.75) as number) / exact
    assert.ok(ratio > 1 / 4 && ratio < 4, `${ratio}`)
  })

  it('keeps 1 % over fifteen orders of magnitude', () => {
    const values = Array.from({ length: 20_000 }, (_, at) => 10 ** ((at * 15) / 20_000 - 6))
    for (const q of QUANTILES) {
      const { exact, tolerance } = exactQuantile(values, q)
      assert.ok(Math.abs((sketchOf(values).quantile(q) as number) - exact) <= tolerance)
    }
  })

  it('is exact for small integers, for booleans as 0 and 1, and for a score that repeats', () => {
    const integers = sketchOf(Array.from({ length: 33 }, (_, at) => at))
    for (let at = 0; at < 33; at++) assert.equal(integers.quantile(at / 32), at)
    assert.equal(sketchOf([0, 0, 1]).quantile(0.5), 0)
    assert.equal(sketchOf([0, 1]).quantile(0.5), 0.5)
    assert.equal(sketchOf([0.8, 0.8, 0.8]).quantile(0.95), 0.8)
    assert.equal(sketchOf([-7, -7, 3]).quantile(0), -7)
    assert.equal(sketchOf([1_234_567, 1_234_567]).quantile(0.5), 1_234_567)
  })

  it('knows no quantile of nothing', () => {
    assert.equal(new ValueSketch().quantile(0.5), undefined)
    assert.equal(ValueSketch.decode(new ValueSketch().encode()).count, 0)
  })

  it('counts a value as often as it is told', () => {
    const sketch = new ValueSketch()
    sketch.add(5, 3)
    sketch.add(9)
    assert.equal(sketch.count, 4)
    assert.deepEqual(sketch.encode(), sketchOf([5, 9, 5, 5]).encode())
  })

  it('refuses what is no number, no count and no share', () => {
    const sketch = new ValueSketch()
    for (const value of [Number.NaN, Infinity, -Infinity]) assert.throws(() => sketch.add(value), RangeError)
    for (const count of [0, -1, 1.5, Number.NaN]) assert.throws(() => sketch.add(1, count), RangeError)
    for (const share of [-0.1, 1.1, Number.NaN]) assert.throws(() => sketch.quantile(share), RangeError)
    assert.equal(sketch.count, 0)
  })

  it('refuses bytes that are cut, continued or of another format', () => {
    const bytes = sketchOf([1, 2.5, -3, 0, 1e300]).encode()
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(() => ValueSketch.decode(bytes.subarray(0, length)), /end too early/)
    }
    assert.throws(() => ValueSketch.decode(Uint8Array.of(...bytes, 0)), /more bytes/)
    assert.throws(() => ValueSketch.decode(Uint8Array.of(9)), /format 9/)
    assert.throws(() => ValueSketch.decode(Uint8Array.of(1, 0, 0, 1, 2, 1, 7, 0)), /unknown kind 7/)
    assert.throws(() => ValueSketch.decode(new Uint8Array(20).fill(0xff)), /too large/)
  })

  it('takes few bytes for the scores of a minute', () => {
    const lengths = sketchOf(Array.from({ length: 1_000 }, (_, at) => 200 + ((at * 7_919) % 1_800)))
    assert.ok(lengths.encode().length < 700, `${lengths.encode().length}`)
    assert.ok(sketchOf([0, 1, 1]).encode().length < 12)
  })
})

function sketchOf(values: readonly number[]): ValueSketch {
  const sketch = new ValueSketch()
  for (const value of values) sketch.add(value)
  return sketch
}

// Between two values the error of each counts, so the tolerance follows the larger of them.
function exactQuantile(values: readonly number[], q: number): { exact: number; tolerance: number } {
  const line = values.toSorted((left, right) => left - right)
  const rank = q * (line.length - 1)
  const low = line[Math.floor(rank)] as number
  const high = line[Math.ceil(rank)] as number
  const share = rank - Math.floor(rank)
  return {
    exact: low * (1 - share) + high * share,
    // The very smallest numbers are whole multiples of one that cannot be divided any more.
    tolerance: Math.max(Math.abs(low), Math.abs(high)) * SKETCH_ACCURACY * (1 + 1e-9) + 2 * Number.MIN_VALUE,
  }
}
