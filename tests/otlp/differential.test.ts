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
import { encodeResponse, encodeRpcStatus } from '../../src/http/otlp/otlp-answers.ts'
import { scanTraces } from '../../src/lib/otlp/scan-traces.ts'
import { scanTracesJson } from '../../src/lib/otlp/scan-traces-json.ts'
import { assertAgreement, assertSameSpans } from './official-agreement.ts'
import {
  officialLogsResponse,
  officialResponse,
  officialRpcStatus,
  strictRequest,
} from './official-definitions.ts'
import { type OfficialRequest, spansAsJson } from './official-spans.ts'
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
      assertSameSpans(batch, strictRequest.decode(bytes) as unknown as OfficialRequest, `seed ${seed}`)
      spans += batch.spans.length
    }
    assert.ok(spans > VALID_CASES, `${spans} spans are too few to mean anything`)
  })

  test('accept and refuse the same damaged requests, and read the same out of those they accept', () => {
    const seen = { refused: 0, accepted: 0, repaired: 0 }
    for (let seed = 1; seed <= DAMAGED_CASES; seed++) {
      const random = new Random(seed)
      const bytes = damaged(random, randomRequest(random))
      if (assertAgreement(bytes, `seed ${seed}`) === 'refused') seen.refused++
      else seen[isUtf8(bytes) ? 'accepted' : 'repaired']++
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
    const partial = { name: 'rejectedSpans', count: 3, errorMessage: '3 of 5 spans rejected' } as const
    const response = officialResponse.toObject(officialResponse.decode(encodeResponse('protobuf', partial)), {
      longs: Number,
    })
    assert.deepEqual(response, { partialSuccess: { rejectedSpans: 3, errorMessage: partial.errorMessage } })
    const logs = officialLogsResponse.decode(
      encodeResponse('protobuf', { ...partial, name: 'rejectedLogRecords' }),
    )
    assert.deepEqual(officialLogsResponse.toObject(logs, { longs: Number }), {
      partialSuccess: { rejectedLogRecords: 3, errorMessage: partial.errorMessage },
    })
    assert.deepEqual(officialResponse.toObject(officialResponse.decode(encodeResponse('protobuf'))), {})
    const status = officialRpcStatus.decode(encodeRpcStatus('protobuf', 3, 'bad'))
    assert.deepEqual(officialRpcStatus.toObject(status), { code: 3, message: 'bad' })
  })
})

/** Whether all text is UTF-8; without that proto3 refuses the request. */
function isUtf8(bytes: Buffer): boolean {
  try {
    strictRequest.decode(bytes)
    return true
  } catch {
    return false
  }
}
