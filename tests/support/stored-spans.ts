import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE_FILE } from '../../src/adapters/sqlite/sqlite-storage.ts'
import { unpackSpansSync } from '../../src/domain/otlp/stored-spans.ts'
import type { Span } from '../../src/domain/span.ts'
import { hasUnit } from '../../src/domain/unit-set.ts'

/** A span in the store, the organization it belongs to, and the external ids of the setups that it matched. */
export interface StoredSpan extends Span {
  readonly orgId: string
  readonly matchedBy: readonly string[]
}

/** Every span of a store, read past the service: what is on disk is what counts. Ordered by batch and place in it. */
export function readStoredSpans(dataDir: string): StoredSpan[] {
  const db = new DatabaseSync(path.join(dataDir, DATABASE_FILE), { readOnly: true })
  try {
    const matches = db
      .prepare(
        `SELECT m.batch_id, m.units, s.external_id FROM matches m
         JOIN setup_versions v ON v.number = m.setup_version JOIN setups s ON s.id = v.setup_id ORDER BY s.external_id`,
      )
      .all() as { batch_id: number; units: Uint8Array; external_id: string }[]
    const rows = db
      .prepare(
        `SELECT hex(s.span_id) AS span_id, s.batch_id, s.ordinal, b.bytes, b.byte_length, b.known_faults, p.org_id
         FROM spans s JOIN span_batches b ON b.id = s.batch_id JOIN projects p ON p.number = s.project_number
         ORDER BY s.batch_id, s.ordinal`,
      )
      .all() as unknown as SpanRow[]
    return rows.map((row) => ({
      ...spanOf(row),
      orgId: row.org_id,
      matchedBy: matches
        .filter(({ batch_id: batch, units }) => batch === row.batch_id && hasUnit(units, row.ordinal))
        .map(({ external_id: externalId }) => externalId),
    }))
  } finally {
    db.close()
  }
}

interface SpanRow {
  span_id: string
  batch_id: number
  ordinal: number
  bytes: Uint8Array
  byte_length: number
  known_faults: string | null
  org_id: string
}

function spanOf({ span_id: spanId, ordinal, ...row }: SpanRow): Span {
  const knownFaults = row.known_faults === null ? [] : JSON.parse(row.known_faults)
  const view = unpackSpansSync({ bytes: row.bytes, byteLength: row.byte_length, knownFaults })[ordinal]
  if (view?.spanId !== spanId.toLowerCase()) throw new Error(`span ${spanId} is not in its place`)
  return view.toSpan()
}
