import { hasUnit } from '../../src/domain/unit-set.ts'
import type { Span } from '../../src/lib/otlp/span.ts'
import type { SpanView } from '../../src/lib/otlp/span-view.ts'
import { unpackSpansSync } from '../../src/lib/otlp/stored-spans.ts'
import type { TestStore } from './test-store.ts'

/** A span in the store, the organization it belongs to, and the external ids of the setups that it matched. */
export interface StoredSpan extends Span {
  readonly orgId: string
  readonly matchedBy: readonly string[]
}

/** Every span of a store, read past the service: what is stored is what counts. Ordered by batch and place in it. */
export async function readStoredSpans(store: TestStore): Promise<StoredSpan[]> {
  const matches = await store.all<{ batch_id: number; units: Uint8Array; external_id: string }>(
    `SELECT m.batch_id, m.units, s.external_id FROM matches m
     JOIN setup_versions v ON v.number = m.setup_version JOIN setups s ON s.id = v.setup_id ORDER BY s.external_id`,
  )
  const stored = await store.all<BatchRow>('SELECT id, bytes, byte_length, known_faults FROM span_batches')
  const batches = new Map(stored.map((row) => [row.id, unpackBatch(row)]))
  const rows = await store.all<{ span_id: Uint8Array; batch_id: number; ordinal: number; org_id: string }>(
    `SELECT s.span_id, s.batch_id, s.ordinal, p.org_id
     FROM spans s JOIN projects p ON p.number = s.project_number ORDER BY s.batch_id, s.ordinal`,
  )
  return rows.map((row) => {
    const view = batches.get(row.batch_id)?.[row.ordinal]
    const spanId = Buffer.from(row.span_id).toString('hex')
    if (view?.spanId !== spanId) throw new Error(`span ${spanId} is not in its place`)
    const matchedBy = matches
      .filter(({ batch_id: batch, units }) => batch === row.batch_id && hasUnit(units, row.ordinal))
      .map(({ external_id: externalId }) => externalId)
    return { ...view.toSpan(), orgId: row.org_id, matchedBy }
  })
}

interface BatchRow {
  id: number
  bytes: Uint8Array
  byte_length: number
  known_faults: string | null
}

function unpackBatch({
  bytes,
  byte_length: byteLength,
  known_faults: faults,
}: BatchRow): readonly SpanView[] {
  return unpackSpansSync({ bytes, byteLength, knownFaults: faults === null ? [] : JSON.parse(faults) })
}
