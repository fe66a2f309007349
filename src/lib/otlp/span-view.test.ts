import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeSpan, encodeSpans, type TestSpan, testId } from '../../../tests/otlp/encode-traces.ts'
import { AttributeKeySet } from './attribute-key.ts'
import { VALUE_DEPTH_MAX } from './otlp-limits.ts'
import { scanTraces } from './scan-traces.ts'
import { attributeText } from './span.ts'
import { WireWriter } from './wire-writer.ts'

const ids = { traceId: testId(16, 1), spanId: testId(8, 1) }

function onlySpan(span: TestSpan) {
  const [view] = scanTraces(encodeSpans({ ...ids, ...span })).spans
  return view ?? assert.fail('the span was rejected')
}

/** A span with one attribute `k`, whose KeyValue holds exactly what `write` writes. */
function valueOfKey(write: (writer: WireWriter) => void) {
  const writer = new WireWriter()
  writer.message(9, () => write(writer))
  const view = onlySpan({ extra: writer.finish() })
  const value = view.attribute('span_attributes', 'k')
  assert.deepStrictEqual(view.toSpan().attributes.get('k'), value)
  return value
}

function reasons(...spans: TestSpan[]): string[] {
  return scanTraces(encodeSpans(...spans)).rejected.map(({ reason }) => reason)
}

describe('an attribute', () => {
  test('keeps 64-bit integers exact', () => {
    for (const value of [2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n])
      assert.equal(onlySpan({ attributes: { k: value } }).attribute('span_attributes', 'k'), value)
    for (const value of [0, -1, 127, 128, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53) + 1])
      assert.equal(onlySpan({ attributes: { k: value } }).attribute('span_attributes', 'k'), value)
  })

  test('keeps doubles that JSON does not know', () => {
    const attributes = {
      n: { double: Number.NaN },
      i: { double: Number.NEGATIVE_INFINITY },
      z: { double: -0 },
    }
    const view = onlySpan({ attributes })
    assert.equal(attributeText(view.attribute('span_attributes', 'n') ?? ''), 'NaN')
    assert.equal(view.attribute('span_attributes', 'i'), Number.NEGATIVE_INFINITY)
    assert.ok(Object.is(view.attribute('span_attributes', 'z'), -0))
  })

  test('of bytes is a copy that does not hold on to the batch', () => {
    const value = onlySpan({ attributes: { k: Buffer.from([1, 255]) } }).attribute('span_attributes', 'k')
    assert.deepStrictEqual(value, new Uint8Array([1, 255]))
    assert.equal((value as Uint8Array).buffer.byteLength, 2)
  })

  test('counts with its last value where its name is repeated', () => {
    const twice = { ...ids, attributes: { k: 'first' }, extra: encodeSpan({ attributes: { k: 'last' } }) }
    const view = onlySpan(twice)
    assert.equal(view.attribute('span_attributes', 'k'), 'last')
    const visited: unknown[] = []
    view.visitAttributes(new AttributeKeySet(['k', 'absent']), (place, value) => visited.push(place, value))
    assert.deepEqual(visited, [0, 'last'])
  })

  test('that is absent is undefined, one without a value is null', () => {
    const view = onlySpan({ attributes: { empty: null, '': 'unnamed' } })
    assert.equal(view.attribute('span_attributes', 'absent'), undefined)
    assert.equal(view.attribute('span_attributes', 'empty'), null)
    assert.equal(view.attribute('span_attributes', ''), 'unnamed')
    assert.equal(view.attribute('resource_attributes', 'empty'), undefined)
  })

  test('whose value stands before its key is found', () => {
    const value = valueOfKey((writer) => {
      writer.message(2, () => writer.string(1, 'v'))
      writer.string(1, 'overwritten')
      writer.string(1, 'k')
    })
    assert.equal(value, 'v')
  })

  test('in several parts is merged, and another kind of value forgets the parts before', () => {
    const array = (writer: WireWriter, text: string) =>
      writer.message(2, () => writer.message(5, () => writer.message(1, () => writer.string(1, text))))
    const merged = valueOfKey((writer) => {
      writer.string(1, 'k')
      array(writer, 'a')
      array(writer, 'b')
    })
    assert.deepEqual(merged, ['a', 'b'])
    const forgotten = valueOfKey((writer) => {
      writer.string(1, 'k')
      array(writer, 'a')
      writer.message(2, () => writer.string(1, 'between'))
      array(writer, 'b')
    })
    assert.deepEqual(forgotten, ['b'])
  })

  test('named __proto__ in a map is a key like any other', () => {
    const map = JSON.parse('{"__proto__": "x", "a": 1}')
    const value = onlySpan({ attributes: { k: { map } } }).attribute('span_attributes', 'k')
    assert.equal(JSON.stringify(value), '{"__proto__":"x","a":1}')
  })

  test('with text that is not UTF-8 is kept with U+FFFD in the place of what is broken', () => {
    const broken = Buffer.from([0x61, 0xff, 0x62])
    for (let round = 0; round < 2; round++) {
      const value = valueOfKey((writer) => {
        writer.string(1, 'k')
        writer.message(2, () => writer.bytes(1, broken))
      })
      assert.equal(value, 'a\ufffdb')
    }
  })

  test('may nest as deep as the limit', () => {
    const nested = (levels: number): TestSpan => {
      let value: { map: { x: unknown } } | string = 'leaf'
      for (let level = 0; level < levels; level++) value = { map: { x: value } }
      return { ...ids, attributes: { k: value } as never }
    }
    assert.deepEqual(reasons(nested(VALUE_DEPTH_MAX)), [])
    assert.deepEqual(reasons(nested(VALUE_DEPTH_MAX + 1)), [
      `an attribute is nested deeper than ${VALUE_DEPTH_MAX} levels`,
    ])
    assert.equal(reasons(nested(500)).length, 1)
  })
})

test('tells the millisecond of a start exactly, also where a number cannot hold the nanoseconds', () => {
  for (let at = 0; at < 2_000; at++) {
    const ms = 1_700_000_000_000 + at * 7_919
    for (const nanoseconds of [0n, 1n, 999_999n]) {
      const startUnixNano = BigInt(ms) * 1_000_000n + nanoseconds
      assert.equal(onlySpan({ startUnixNano }).startUnixMs, ms)
    }
  }
})
