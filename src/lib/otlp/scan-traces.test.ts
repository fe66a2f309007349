import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  encodeSpan,
  encodeSpans,
  encodeTraces,
  type TestSpan,
  testId,
} from '../../../tests/otlp/encode-traces.ts'
import {
  ATTRIBUTES_MAX,
  EVENTS_MAX,
  REJECTIONS_KEPT_MAX,
  SPAN_BYTES_MAX,
  SPANS_MAX,
  VALUE_DEPTH_MAX,
} from './otlp-limits.ts'
import { readSpans, scanStoredTraces, scanTraces } from './scan-traces.ts'
import { WireWriter } from './wire-writer.ts'

const ids = { traceId: testId(16, 1), spanId: testId(8, 1) }

function onlySpan(span: TestSpan) {
  const [view] = scanTraces(encodeSpans({ ...ids, ...span })).spans
  return view ?? assert.fail('the span was rejected')
}

function reasons(...spans: TestSpan[]): string[] {
  return scanTraces(encodeSpans(...spans)).rejected.map(({ reason }) => reason)
}

describe('a span', () => {
  test('comes out with everything that went in', () => {
    const batch = scanTraces(
      encodeTraces([
        {
          resource: { 'service.name': 'chat' },
          scopes: [
            {
              name: 'openai',
              version: '1.0',
              spans: [
                {
                  ...ids,
                  parentSpanId: testId(8, 9),
                  traceState: 'a=b',
                  name: 'chat',
                  kind: 3,
                  startUnixNano: 1_700_000_000_123_456_789n,
                  endUnixNano: 2n ** 64n - 1n,
                  attributes: {
                    s: 'größer',
                    i: 4096,
                    d: 0.7,
                    b: true,
                    list: ['a', 1],
                    map: { map: { x: null } },
                  },
                  events: [{ name: 'choice', timeUnixNano: 5n, attributes: { index: 0 } }],
                  status: { code: 2, message: 'failed' },
                },
              ],
            },
          ],
        },
      ]),
    )
    const [view] = batch.spans
    assert.ok(view)
    assert.equal(view.startUnixMs, 1_700_000_000_123)
    assert.deepEqual([...view.traceIdBytes], [...ids.traceId])
    assert.deepStrictEqual(view.toSpan(), {
      traceId: ids.traceId.toString('hex'),
      spanId: ids.spanId.toString('hex'),
      parentSpanId: testId(8, 9).toString('hex'),
      traceState: 'a=b',
      name: 'chat',
      kind: 3,
      startUnixNano: 1_700_000_000_123_456_789n,
      endUnixNano: 2n ** 64n - 1n,
      statusCode: 2,
      statusMessage: 'failed',
      attributes: new Map<string, unknown>([
        ['s', 'größer'],
        ['i', 4096],
        ['d', 0.7],
        ['b', true],
        ['list', ['a', 1]],
        ['map', { x: null }],
      ]),
      resource: new Map([['service.name', 'chat']]),
      scopeName: 'openai',
      scopeVersion: '1.0',
      events: [{ name: 'choice', timeUnixNano: 5n, attributes: new Map([['index', 0]]) }],
    })
  })

  test('with ids alone is enough: no name, no times, no parent', () => {
    const span = onlySpan({}).toSpan()
    assert.equal(span.name, '')
    assert.equal(span.startUnixNano, 0n)
    assert.ok(!('parentSpanId' in span))
  })

  test('may end before it starts, and a parent of zeros is no parent', () => {
    const span = onlySpan({ startUnixNano: 9n, endUnixNano: 1n, parentSpanId: Buffer.alloc(8) }).toSpan()
    assert.equal(span.endUnixNano, 1n)
    assert.equal(span.parentSpanId, undefined)
  })

  test('of 5 MB is read', () => {
    const text = 'é'.repeat(2_500_000)
    assert.equal(onlySpan({ attributes: { text } }).attribute('span_attributes', 'text'), text)
  })

  test('is found again by its place, whatever stands around it', () => {
    const spans = Array.from({ length: 5 }, (_, at) => ({
      ...ids,
      spanId: testId(8, at + 1),
      name: `n${at}`,
    }))
    const bytes = encodeTraces([
      {
        resource: { r: 1 },
        scopes: [{ name: 's1', spans: spans.slice(0, 2) }, { spans: spans.slice(2, 3) }],
      },
      { resource: { r: 2 }, scopes: [{ name: 's3', spans: spans.slice(3) }] },
    ])
    const views = scanTraces(bytes).spans
    const places = views.map(({ place }) => place)
    const order = [4, 0, 2, 1, 3]
    const again = readSpans(
      bytes,
      order.map((at) => places[at] ?? assert.fail()),
    )
    assert.deepStrictEqual(
      again.map((view) => view.toSpan()),
      order.map((at) => views[at]?.toSpan()),
    )
    const place = places[3] ?? assert.fail()
    assert.deepEqual(bytes.subarray(place.span.start, place.span.end), encodeSpan(spans[3] ?? {}))
    assert.throws(() => readSpans(bytes.subarray(0, 50), [place]), /outside the batch/)
  })
})

describe('a resource', () => {
  test('in parts, behind its spans, belongs to all of them and is decoded once', () => {
    const writer = new WireWriter()
    writer.message(1, () => {
      writer.message(2, () => {
        for (const at of [1, 2])
          writer.message(2, () => writer.raw(encodeSpan({ ...ids, spanId: testId(8, at) })))
        writer.message(1, () => writer.string(2, '1.0'))
        writer.message(1, () => writer.string(1, 'late'))
      })
      for (const key of ['a', 'b'])
        writer.message(1, () =>
          writer.message(1, () => {
            writer.string(1, key)
            writer.message(2, () => writer.varint(3, 7))
          }),
        )
    })
    const [first, second] = scanTraces(writer.finish()).spans
    assert.ok(first && second)
    assert.deepEqual(
      [...first.resource],
      [
        ['a', 7],
        ['b', 7],
      ],
    )
    assert.equal(first.resource, second.resource)
    assert.equal(second.attribute('resource_attributes', 'b'), 7)
    const { scopeName, scopeVersion } = second.toSpan()
    assert.deepEqual([scopeName, scopeVersion], ['late', '1.0'])
  })

  test('that cannot be kept takes its spans with it, and no others', () => {
    let deep: unknown = 1
    for (let level = 0; level < VALUE_DEPTH_MAX + 1; level++) deep = [deep]
    const scopes = [{ spans: [ids, ids] }]
    const batch = scanTraces(encodeTraces([{ resource: { deep: deep as never }, scopes }, { scopes }]))
    assert.equal(batch.rejectedCount, 2)
    assert.equal(batch.spans.length, 2)
  })
})

describe('a span that cannot be kept is rejected by itself', () => {
  test('because of its ids', () => {
    const batch = scanTraces(
      encodeSpans(
        ids,
        { ...ids, traceId: testId(15, 1) },
        { ...ids, traceId: Buffer.alloc(16) },
        { spanId: ids.spanId },
        { ...ids, spanId: Buffer.alloc(8) },
        { ...ids, spanId: testId(16, 1) },
        { ...ids, parentSpanId: testId(4, 1) },
        ids,
      ),
    )
    assert.equal(batch.spans.length, 2)
    assert.deepEqual(batch.rejected, [
      { index: 1, reason: 'trace id is 15 bytes long, not 16' },
      { index: 2, reason: 'trace id is all zeros' },
      { index: 3, reason: 'trace id is 0 bytes long, not 16' },
      { index: 4, reason: 'span id is all zeros' },
      { index: 5, reason: 'span id is 16 bytes long, not 8' },
      { index: 6, reason: 'parent span id is 4 bytes long, not 8' },
    ])
  })

  test('because it is too much', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))
    assert.deepEqual(reasons({ ...ids, attributes: many(ATTRIBUTES_MAX) }), [])
    assert.match(reasons({ ...ids, attributes: many(ATTRIBUTES_MAX + 1) })[0] ?? '', /has 10001 attributes/)
    assert.match(reasons({ ...ids, events: Array(EVENTS_MAX + 1).fill({}) })[0] ?? '', /has 10001 events/)
    assert.match(reasons({ ...ids, name: 'x'.repeat(SPAN_BYTES_MAX) })[0] ?? '', /bytes long, at most/)
  })

  test('and only the first reasons are kept when there are many', () => {
    const batch = scanTraces(encodeSpans(...Array(1_000).fill({}), ids))
    assert.equal(batch.rejectedCount, 1_000)
    assert.equal(batch.rejected.length, REJECTIONS_KEPT_MAX)
    assert.equal(batch.spans.length, 1)
  })

  test('and again when the stored batch is read, whatever the rules are by then', () => {
    const spanIds = [1, 2, 3, 4].map((at) => testId(8, at))
    const bytes = encodeSpans(
      { ...ids, spanId: spanIds[0] as Buffer },
      {},
      ...spanIds.slice(1).map((spanId) => ({ ...ids, spanId })),
    )
    assert.deepEqual(scanTraces(bytes).rejectedPlaces, [1])
    // As if the third span had been rejected by a rule that is gone.
    assert.deepEqual(
      scanStoredTraces(bytes, [1, 2]).map(({ spanId }) => spanId),
      [spanIds[0], spanIds[2], spanIds[3]].map((id) => id?.toString('hex')),
    )
  })
})

test('a request with more spans than one may have is refused as a whole', () => {
  const span = encodeSpan(ids)
  const writer = new WireWriter()
  const request = (count: number) => {
    writer.rewind(0)
    writer.message(1, () =>
      writer.message(2, () => {
        for (let at = 0; at < count; at++) writer.bytes(2, at % 2 === 0 ? span : Buffer.alloc(0))
      }),
    )
    return scanTraces(writer.finish())
  }
  assert.equal(request(SPANS_MAX).rejectedPlaces.length, SPANS_MAX / 2)
  assert.throws(() => request(SPANS_MAX + 1), { kind: 'too_large', message: /more than 100000 spans/ })
})
