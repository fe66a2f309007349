/**
 * The scan against the official definitions, on payloads that no encoder would write. Where they differ, and why:
 * - Text that is not UTF-8: proto3 refuses the request; here U+FFFD stands for it, as the OTLP specification recommends
 *   and as the Collector, which passes such text on, would have it.
 * - A varint of more than ten bytes in an unknown field: protobufjs alone reads on; C++, Go and the scan refuse.
 * - A list, another kind of value, and a list again in one AnyValue: protobufjs merges the two lists; C++, Go and the scan
 *   start anew, since a oneof forgets what it held (see scan-traces.test.ts).
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AttributeKeySet } from '../../src/domain/otlp/attribute-key.ts'
import { readSpans, scanTraces, type TraceBatch } from '../../src/domain/otlp/scan-traces.ts'
import { scanTracesJson } from '../../src/domain/otlp/scan-traces-json.ts'
import { encodeRpcStatus, encodeTraceResponse } from '../../src/http/otlp/otlp-answers.ts'
import { lenientRequest, officialResponse, officialRpcStatus, strictRequest } from './official-definitions.ts'
import { type OfficialRequest, spansAsJson, spansOf } from './official-spans.ts'
import { damaged, Random, randomRequest } from './random-traces.ts'

const VALID_CASES = 600
const DAMAGED_CASES = 2_500
const JSON_CASES = 300

describe('the scan and the official definitions', () => {
  test('read the same spans out of valid requests in every layout', () => {
    let spans = 0
    for (let seed = 1; seed <= VALID_CASES; seed++) {
      const bytes = randomRequest(new Random(seed))
      const batch = scanTraces(bytes)
      assertSame(batch, strictRequest.decode(bytes) as unknown as OfficialRequest, `seed ${seed}`)
      spans += batch.spans.length
    }
    assert.ok(spans > VALID_CASES, `${spans} spans are too few to mean anything`)
  })

  test('accept and refuse the same damaged requests, and read the same out of those they accept', () => {
    const seen = { refused: 0, accepted: 0, repaired: 0 }
    for (let seed = 1; seed <= DAMAGED_CASES; seed++) {
      const random = new Random(seed)
      const bytes = damaged(random, randomRequest(random))
      const ours = attempt(() => scanTraces(bytes))
      const official = attempt(() => lenientRequest.decode(bytes) as unknown as OfficialRequest)
      if (ours === undefined || official === undefined) {
        const reason = reasonFor(bytes)
        const isLongVarint = official !== undefined && reason.includes('longer than ten bytes')
        assert.ok(isLongVarint || (ours === undefined && official === undefined), `seed ${seed}: ${reason}`)
        seen.refused++
      } else {
        assertSame(ours, official, `seed ${seed}`)
        const isUtf8 = attempt(() => strictRequest.decode(bytes)) !== undefined
        seen[isUtf8 ? 'accepted' : 'repaired']++
      }
    }
    for (const [outcome, count] of Object.entries(seen))
      assert.ok(count > DAMAGED_CASES / 100, `${outcome}: ${count} of ${DAMAGED_CASES}`)
  })

  test('find the same in the JSON encoding of a request', () => {
    for (let seed = 1; seed <= JSON_CASES; seed++) {
      const { spans } = scanTraces(randomRequest(new Random(seed)))
      const expected = spans.map((view) => view.toSpan())
      const batch = scanTracesJson(Buffer.from(JSON.stringify(spansAsJson(expected))))
      assert.deepStrictEqual(
        batch.spans.map((view) => view.toSpan()),
        expected,
        `seed ${seed}`,
      )
    }
  })

  test('agree on answers', () => {
    const partial = { rejectedSpans: 3, errorMessage: '3 of 5 spans rejected' }
    const response = officialResponse.toObject(
      officialResponse.decode(encodeTraceResponse('protobuf', partial)),
      {
        longs: Number,
      },
    )
    assert.deepEqual(response, { partialSuccess: partial })
    assert.deepEqual(officialResponse.toObject(officialResponse.decode(encodeTraceResponse('protobuf'))), {})
    const status = officialRpcStatus.decode(encodeRpcStatus('protobuf', 3, 'bad'))
    assert.deepEqual(officialRpcStatus.toObject(status), { code: 3, message: 'bad' })
  })
})

function assertSame(batch: TraceBatch, request: OfficialRequest, which: string): void {
  const expected = spansOf(request)
  const spans = batch.spans.map((view) => view.toSpan())
  assert.deepStrictEqual(spans, expected.spans, which)
  assert.equal(batch.rejectedCount, expected.rejectedCount, which)
  const again = readSpans(
    batch.bytes,
    batch.spans.map(({ place }) => place),
  )
  for (const [at, view] of batch.spans.entries()) {
    assert.deepStrictEqual(again[at]?.toSpan(), expected.spans[at], `${which} read again`)
    const { attributes, resource } = expected.spans[at] ?? assert.fail()
    // Text that had to be repaired no longer has the bytes that a lookup compares.
    const names = [...attributes.keys()].filter((name) => !name.includes('\ufffd'))
    for (const name of names)
      assert.deepStrictEqual(view.attribute('span_attributes', name), attributes.get(name), which)
    for (const [name, value] of resource)
      assert.deepStrictEqual(view.attribute('resource_attributes', name), value, which)
    const visited = new Map<string, unknown>()
    view.visitAttributes(new AttributeKeySet(names), (place, value) =>
      visited.set(names[place] as string, value),
    )
    assert.equal(visited.size, names.length, which)
    for (const [name, value] of visited) assert.deepStrictEqual(value, attributes.get(name), which)
  }
}

function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

function reasonFor(bytes: Buffer): string {
  const reasons: string[] = []
  for (const decode of [() => scanTraces(bytes), () => lenientRequest.decode(bytes)]) {
    try {
      decode()
      reasons.push('accepted')
    } catch (error) {
      reasons.push(String(error))
    }
  }
  return `ours ${reasons[0]}, official ${reasons[1]}`
}
