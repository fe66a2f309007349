import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeSpan, encodeSpans, testId } from '../../../tests/otlp/encode-traces.ts'
import { PublicError } from '../public-error.ts'
import { GROUP_DEPTH_MAX } from './otlp-limits.ts'
import { scanTraces } from './scan-traces.ts'

const ids = { traceId: testId(16, 1), spanId: testId(8, 1) }

function refuses(bytes: Uint8Array | number[], message: RegExp): void {
  assert.throws(
    () => scanTraces(Uint8Array.from(bytes)),
    (error) => error instanceof PublicError && error.kind === 'invalid_input' && message.test(error.message),
  )
}

/** A request with one good span that has these bytes behind its fields. */
function withExtra(...extra: number[]): Buffer {
  return encodeSpans({ ...ids, extra: Buffer.from(extra) })
}

describe('a request that cannot be read', () => {
  test('names the byte where it goes wrong', () => {
    refuses(
      [0x0a, 0x05, 0x0a],
      /^invalid input: body is not a valid OTLP protobuf message: 5 bytes announced, 1 left at byte 2$/,
    )
  })

  test('is refused at every place where it can be cut off, except between its parts', () => {
    const whole = encodeSpans({
      ...ids,
      attributes: { list: ['a', 1, { double: 2 }] },
      events: [{ name: 'e' }],
    })
    assert.equal(scanTraces(whole.subarray(0, 0)).spans.length, 0)
    for (let length = 1; length < whole.length; length++) refuses(whole.subarray(0, length), /at byte \d+$/)
  })

  test('is refused when an attribute that nobody asks for is broken', () => {
    // A KeyValue whose value claims nine bytes of text and has one.
    refuses(withExtra(0x4a, 0x07, 0x0a, 0x01, 0x6b, 0x12, 0x02, 0x0a, 0x09), /9 bytes announced, 0 left/)
    refuses(withExtra(0x5a, 0x02, 0x1a, 0x05), /5 bytes announced/)
    refuses(withExtra(0x6a, 0x02, 0x22, 0x05), /5 bytes announced/)
  })

  test('is refused for tags, lengths and varints that no encoder can mean', () => {
    refuses(withExtra(0x00, 0x00), /field number 0/)
    refuses(withExtra(0x0e), /wire type 6/)
    refuses(withExtra(0x8c, 0x01), /wire type 4/)
    refuses(withExtra(0xff, 0xff, 0xff, 0xff, 0x1f), /a field tag is too long/)
    refuses(withExtra(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f), /a length is too long/)
    refuses(withExtra(0x30, ...Array(10).fill(0xff), 0x01), /longer than ten bytes/)
    refuses(withExtra(0x39, 1, 2, 3), /8 bytes needed, 3 left/)
  })
})

describe('an unknown field', () => {
  test('of every wire type is passed over', () => {
    const group = [0xa3, 0x06, 0x08, 0x01, 0x1b, 0x12, 0x01, 0x61, 0x1c, 0xa4, 0x06]
    for (const field of [
      [0xa0, 0x06, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
      [0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8],
      [0xa2, 0x06, 0x02, 0xff, 0xff],
      [0xa5, 0x06, 1, 2, 3, 4],
      group,
      // A known number with a wire type that it does not have.
      [0x0d, 1, 2, 3, 4],
      [0x48, 0x01],
    ])
      assert.equal(scanTraces(withExtra(...field)).spans.length, 1, String(field))
  })

  test('that is a group must be closed by its own end and not nest without limit', () => {
    refuses(withExtra(0xa3, 0x06, 0x08, 0x01), /a group has no end/)
    refuses(withExtra(0xa3, 0x06, 0xac, 0x06), /wire type 4/)
    const deep = (levels: number) => [...Array(levels).fill(0x1b), ...Array(levels).fill(0x1c)]
    assert.equal(scanTraces(withExtra(...deep(GROUP_DEPTH_MAX))).spans.length, 1)
    refuses(withExtra(...deep(10_000)), /groups nested deeper/)
  })
})

test('lengths and tags may be padded, as the official parsers allow', () => {
  const span = encodeSpan(ids)
  const padded = Buffer.from([0x8a, 0x80, 0x00, 0x83 + span.length - 1 + 4, 0x80, 0x00])
  const inner = Buffer.concat([Buffer.from([0x12, 0x80 | (span.length + 2), 0x00, 0x12, span.length]), span])
  padded[3] = 0x80 | inner.length
  assert.equal(scanTraces(Buffer.concat([padded, inner])).spans.length, 1)
})

test('an enum keeps a number that is unknown today, also a negative one', () => {
  const kindOf = (...extra: number[]) => scanTraces(withExtra(...extra)).spans[0]?.kind
  assert.equal(kindOf(0x30, 0x2a), 42)
  assert.equal(kindOf(0x30, ...Array(9).fill(0xff), 0x01), -1)
  assert.equal(kindOf(0x30, 0x03, 0x30, 0x00), 0)
})
