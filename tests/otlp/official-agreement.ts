import assert from 'node:assert/strict'
import { AttributeKeySet } from '../../src/lib/otlp/attribute-key.ts'
import { readSpans, scanTraces, type TraceBatch } from '../../src/lib/otlp/scan-traces.ts'
import { lenientRequest } from './official-definitions.ts'
import { type OfficialRequest, spansOf } from './official-spans.ts'

/** The scan and the official definitions, applied to the same bytes. */
export type Agreement = 'refused' | 'accepted'

/**
 * Insists that the scan and the official definitions both refuse the bytes, or read the same spans out of them. A varint of
 * more than ten bytes in an unknown field is the one thing that the scan refuses alone.
 */
export function assertAgreement(bytes: Buffer, which: string): Agreement {
  const ours = attempt(() => scanTraces(bytes))
  const official = attempt(() => lenientRequest.decode(bytes) as unknown as OfficialRequest)
  if (ours instanceof Error || official instanceof Error) {
    const reason = [ours, official].map((outcome) =>
      outcome instanceof Error ? outcome.message : 'accepted',
    )
    const isLongVarint = ours instanceof Error && ours.message.includes('longer than ten bytes')
    const isRefused = ours instanceof Error && (official instanceof Error || isLongVarint)
    assert.ok(isRefused, `${which}: ${reason.join('; ')}`)
    return 'refused'
  }
  assertSameSpans(ours, official, which)
  return 'accepted'
}

/** Insists that the scan read what the official definitions read, by every way of reading. */
export function assertSameSpans(batch: TraceBatch, request: OfficialRequest, which: string): void {
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

function attempt<T>(decode: () => T): T | Error {
  try {
    return decode()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
