import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeTraces, type TestSpan } from '../../../tests/otlp/encode-traces.ts'
import { eraseSpans } from './erase-spans.ts'
import { scanStoredTraces, scanTraces } from './scan-traces.ts'

const TEXT = 'the quick brown fox'

function span(number: number, attributes: TestSpan['attributes'] = { text: `${TEXT} ${number}` }): TestSpan {
  return {
    traceId: Buffer.alloc(16, number),
    spanId: Buffer.alloc(8, number),
    name: `${TEXT} as a name ${number}`,
    startUnixNano: 5_000_000_000n,
    endUnixNano: 6_000_000_000n,
    attributes,
  }
}

function erase(bytes: Uint8Array, ordinals: readonly number[], rejected: readonly number[] = []): Buffer {
  const views = scanStoredTraces(bytes, rejected)
  const erased = new Map(
    ordinals.map((ordinal) => {
      const view = views[ordinal]
      assert.ok(view)
      return [ordinal, { traceId: view.traceIdBytes, spanId: view.spanIdBytes }]
    }),
  )
  return eraseSpans(bytes, rejected, erased)
}

test('an erased span keeps its place and its ids and nothing else, and the others every byte', () => {
  const bytes = encodeTraces([
    { resource: { 'service.name': 'shop' }, scopes: [{ spans: [span(1), span(2), span(3)] }] },
  ])
  const before = scanTraces(bytes).spans
  const after = scanTraces(erase(bytes, [1])).spans
  assert.equal(after.length, 3)
  for (const ordinal of [0, 2]) {
    assert.deepEqual(after[ordinal]?.toSpan(), before[ordinal]?.toSpan())
    assert.deepEqual(after[ordinal]?.place, before[ordinal]?.place)
  }
  const { attributes, name, startUnixNano, traceId, spanId } = after[1]?.toSpan() ?? {}
  assert.deepEqual([traceId, spanId], [before[1]?.traceId, before[1]?.spanId])
  assert.deepEqual([attributes?.size, name, startUnixNano], [0, '', 0n])
  assert.equal(erase(bytes, [1]).indexOf(`${TEXT} 2`), -1)
  assert.notEqual(bytes.indexOf(`${TEXT} 2`), -1, 'what it was made from stays as it is')
})

test('a resource and a scope go with the last of their spans, and not before', () => {
  const bytes = encodeTraces([
    { resource: { 'user.name': 'alice' }, scopes: [{ spans: [span(1), span(2)] }] },
    { resource: { 'user.name': 'bob' }, scopes: [{ spans: [span(3)] }] },
  ])
  const half = erase(bytes, [0])
  assert.notEqual(half.indexOf('alice'), -1)
  const whole = erase(bytes, [0, 1])
  assert.equal(whole.indexOf('alice'), -1)
  assert.equal(scanTraces(whole).spans[2]?.resource.get('user.name'), 'bob')
  assert.equal(scanTraces(whole).spans.length, 3)
})

test('spans that were rejected on arrival are emptied, too, and stay rejected', () => {
  const bad = { ...span(2), spanId: Buffer.alloc(8) }
  const bytes = encodeTraces([{ resource: {}, scopes: [{ spans: [span(1), bad, span(3)] }] }])
  const { rejectedPlaces } = scanTraces(bytes)
  assert.deepEqual(rejectedPlaces, [1])
  const erased = erase(bytes, [0], rejectedPlaces)
  assert.equal(erased.indexOf(`${TEXT} 2`), -1)
  assert.equal(erased.indexOf(`${TEXT} 1`), -1)
  const left = scanStoredTraces(erased, rejectedPlaces)
  assert.deepEqual(
    left.map(({ spanId }) => spanId.slice(0, 2)),
    ['01', '03'],
  )
  assert.equal(left[1]?.name, `${TEXT} as a name 3`)
})

test('spans of every length can be erased', () => {
  const ids = Buffer.concat([
    Buffer.from([0x0a, 16]),
    Buffer.alloc(16, 7),
    Buffer.from([0x12, 8]),
    Buffer.alloc(8, 7),
  ])
  // The same ids, the first one with a length that is written in two bytes.
  const padded = Buffer.concat([Buffer.from([0x0a, 0x90, 0x00]), ids.subarray(2)])
  const spans = [ids, padded]
  // A name of so many characters, each span two bytes and more longer than the ids.
  for (let size = 0; size < 300; size++) {
    const length = size < 128 ? [size] : [(size & 0x7f) | 0x80, size >> 7]
    spans.push(Buffer.concat([ids, Buffer.from([0x2a, ...length]), Buffer.alloc(size, 'x')]))
  }
  for (const body of spans) {
    const block = (tag: number, content: Buffer) => {
      const { length } = content
      return Buffer.concat([Buffer.from([tag, (length & 0x7f) | 0x80, length >> 7]), content])
    }
    const bytes = block(0x0a, block(0x12, Buffer.concat([block(0x12, body), block(0x12, ids)])))
    const after = scanTraces(erase(bytes, [0]))
    assert.deepEqual(after.rejectedPlaces, [], `a span of ${body.length} bytes`)
    assert.equal(after.spans.length, 2)
    assert.equal(after.spans[0]?.name, '')
    assert.equal(after.spans[0]?.traceId, '07'.repeat(16))
  }
})
