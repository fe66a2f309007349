import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PublicError } from '../public-error.ts'
import { VALUE_DEPTH_MAX } from './otlp-limits.ts'
import { scanTraces } from './scan-traces.ts'
import { scanTracesJson } from './scan-traces-json.ts'

const ids = { traceId: '5B8EFFF798038103D269B633813FC60C', spanId: 'eee19b7ec3c1b174' }

function scan(...spans: unknown[]) {
  return scanTracesJson(Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })))
}

function jsonValue(value: unknown) {
  const batch = scan({ ...ids, attributes: [{ key: 'k', value }] })
  return batch.spans[0]?.attribute('span_attributes', 'k') ?? batch.rejected[0]?.reason ?? null
}

function refuses(body: string | Uint8Array, message: RegExp): void {
  assert.throws(
    () => scanTracesJson(Buffer.from(body)),
    (error) => error instanceof PublicError && error.kind === 'invalid_input' && message.test(error.message),
  )
}

describe('a span in JSON', () => {
  test('comes out with everything that went in', () => {
    const batch = scanTracesJson(
      Buffer.from(
        JSON.stringify({
          resourceSpans: [
            {
              resource: { attributes: [{ key: 'service.name', value: { stringValue: 'chat' } }] },
              scopeSpans: [
                {
                  scope: { name: 'openai', version: '1.0', attributes: [] },
                  spans: [
                    {
                      ...ids,
                      parentSpanId: 'EEE19B7EC3C1B173',
                      traceState: 'a=b',
                      flags: 257,
                      name: 'chat',
                      kind: 3,
                      startTimeUnixNano: '1544712660123456789',
                      endTimeUnixNano: '1544712661000000000',
                      attributes: [{ key: 'i', value: { intValue: '7' } }],
                      events: [{ timeUnixNano: '5', name: 'choice', attributes: [] }],
                      links: [{ ...ids, attributes: [] }],
                      status: { code: 2, message: 'failed' },
                    },
                  ],
                },
              ],
              schemaUrl: 'x',
            },
          ],
        }),
      ),
    )
    const expected = {
      traceId: ids.traceId.toLowerCase(),
      spanId: ids.spanId,
      parentSpanId: 'eee19b7ec3c1b173',
      traceState: 'a=b',
      name: 'chat',
      kind: 3,
      startUnixNano: 1_544_712_660_123_456_789n,
      endUnixNano: 1_544_712_661_000_000_000n,
      statusCode: 2,
      statusMessage: 'failed',
      attributes: new Map([['i', 7]]),
      resource: new Map([['service.name', 'chat']]),
      scopeName: 'openai',
      scopeVersion: '1.0',
      events: [{ name: 'choice', timeUnixNano: 5n, attributes: new Map() }],
    }
    assert.deepStrictEqual(batch.spans[0]?.toSpan(), expected)
    assert.deepStrictEqual(scanTraces(batch.bytes).spans[0]?.toSpan(), expected)
  })

  test('may use original names, enum names, bare numbers for 64-bit integers, and null for what is absent', () => {
    const text = `{"resource_spans": [{"resource": null, "scope_spans": [{"spans": [{
      "trace_id": "${ids.traceId}", "span_id": "${ids.spanId}", "parent_span_id": "", "kind": "SPAN_KIND_CLIENT",
      "start_time_unix_nano": 1544712660123456789, "end_time_unix_nano": null, "unknown": {"a": [1]},
      "attributes": [null, {"key": "k", "value": {"int_value": -9223372036854775808}}],
      "status": {"code": "STATUS_CODE_ERROR"}}]}]}], "also": "unknown"}`
    const span = scanTracesJson(Buffer.from(text)).spans[0]?.toSpan()
    assert.ok(span)
    assert.equal(span.startUnixNano, 1_544_712_660_123_456_789n)
    assert.equal(span.endUnixNano, 0n)
    assert.equal(span.kind, 3)
    assert.equal(span.statusCode, 2)
    assert.ok(!('parentSpanId' in span))
    assert.deepEqual([...span.attributes], [['k', -(2n ** 63n)]])
  })
})

describe('a value in JSON', () => {
  test('is what its field says', () => {
    assert.equal(jsonValue({ stringValue: '👋' }), '👋')
    assert.equal(jsonValue({ boolValue: false }), false)
    assert.equal(jsonValue({ intValue: 5 }), 5)
    assert.equal(jsonValue({ intValue: '9223372036854775807' }), 2n ** 63n - 1n)
    assert.equal(jsonValue({ doubleValue: 1 }), 1)
    assert.equal(jsonValue({ doubleValue: '-Infinity' }), Number.NEGATIVE_INFINITY)
    assert.ok(Number.isNaN(jsonValue({ doubleValue: 'NaN' })))
    assert.deepStrictEqual(jsonValue({ bytesValue: '+/8=' }), new Uint8Array([0xfb, 0xff]))
    assert.deepStrictEqual(jsonValue({ bytesValue: '-_8' }), new Uint8Array([0xfb, 0xff]))
    assert.deepEqual(jsonValue({ arrayValue: { values: [{ intValue: 1 }, {}, null] } }), [1, null, null])
    const kvlistValue = { values: [{ key: 'a', value: { stringValue: 'b' } }, { key: 'c' }] }
    assert.deepEqual(jsonValue({ kvlistValue }), { a: 'b', c: null })
    assert.equal(jsonValue({}), null)
    assert.equal(jsonValue({ stringValue: 'first', intValue: 2 }), 2)
    assert.equal(jsonValue({ stringValue: '\ud800' }), '\ufffd')
  })

  test('that is something else rejects the span and says where', () => {
    const at = 'attributes[0].value'
    assert.equal(jsonValue('plain'), `${at} must be an object`)
    assert.equal(jsonValue({ stringValue: 1 }), `${at}.stringValue must be a string`)
    assert.equal(jsonValue({ boolValue: 'true' }), `${at}.boolValue must be true or false`)
    assert.equal(jsonValue({ intValue: 1.5 }), `${at}.intValue must be a whole number`)
    assert.match(String(jsonValue({ intValue: '9223372036854775808' })), /intValue must be between -9223/)
    assert.equal(jsonValue({ doubleValue: '' }), `${at}.doubleValue must be a number`)
    assert.equal(jsonValue({ bytesValue: '*' }), `${at}.bytesValue must be base64`)
    assert.equal(jsonValue({ arrayValue: { values: {} } }), `${at}.arrayValue.values must be an array`)
  })

  test('may nest as deep as the limit, not deeper', () => {
    const nested = (levels: number) => {
      let value: unknown = { intValue: 1 }
      for (let level = 0; level < levels; level++) value = { arrayValue: { values: [value] } }
      return { ...ids, attributes: [{ key: 'k', value }] }
    }
    assert.equal(scan(nested(VALUE_DEPTH_MAX)).spans.length, 1)
    assert.match(scan(nested(VALUE_DEPTH_MAX + 1)).rejected[0]?.reason ?? '', /nested deeper/)
    assert.match(scan(nested(1_000)).rejected[0]?.reason ?? '', /nested deeper/)
  })
})

test('a bad span is rejected by itself, with its own number', () => {
  const batch = scan(
    ids,
    { ...ids, traceId: 'xyz' },
    { ...ids, kind: 'SPAN_KIND_ROBOT' },
    { spanId: ids.spanId },
    7,
    { ...ids, startTimeUnixNano: -1 },
    ids,
  )
  assert.equal(batch.spans.length, 2)
  assert.equal(batch.rejectedCount, 5)
  assert.deepEqual(
    batch.rejected.map(({ index, reason }) => `${index} ${reason.slice(0, 40)}`),
    [
      '1 traceId must be hex digits',
      '2 kind must be a whole number or one of SP',
      '3 trace id is 0 bytes long, not 16',
      '4 it must be an object',
      '5 startTimeUnixNano must be between 0 and ',
    ],
  )
})

test('400 for a body that is no request says where', () => {
  refuses('{"resourceSpans": [', /not a valid OTLP JSON message: it is not JSON at its end/)
  refuses('', /it is not JSON/)
  refuses('[]', /it must be an object/)
  refuses('{"resourceSpans": {}}', /resourceSpans must be an array/)
  refuses('{"resourceSpans": [{"resource": 5}]}', /resourceSpans\[0\]\.resource must be an object/)
  refuses(Buffer.from([0x22, 0xff, 0x22]), /it is not UTF-8/)
})

test('a body of brackets does not exhaust the stack, with and without long numbers', () => {
  const brackets = '['.repeat(200_000) + ']'.repeat(200_000)
  assert.equal(scanTracesJson(Buffer.from(`{"x": ${brackets}}`)).spans.length, 0)
  assert.equal(scanTracesJson(Buffer.from(`{"y": 1234567890123456789, "x": ${brackets}}`)).spans.length, 0)
})

test('an empty request is a request', () => {
  assert.equal(scanTracesJson(Buffer.from('{}')).spans.length, 0)
})
