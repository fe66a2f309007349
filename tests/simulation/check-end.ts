import { unpackBytesSync } from '../../src/lib/otlp/stored-spans.ts'
import type { SqliteDatabase } from '../../src/stores/sqlite/sqlite-database.ts'
import { Violation } from './invariants.ts'
import type { Model, SimulatedSpan } from './model.ts'

/** Invariants that hold once everything has settled. */
export function checkEnd(db: SqliteDatabase, model: Model): void {
  checkScores(db, model)
  checkErased(db, model)
}

/** Every acknowledged span that a setup was waiting for has its score, with the right value. */
function checkScores(db: SqliteDatabase, model: Model): void {
  const rows = db.all<{ external_id: string; unit: string; value: number }>(
    `SELECT s.external_id, hex(e.trace_id) || hex(e.span_id) AS unit, e.value FROM evaluations e
     JOIN monitors m ON m.version_number = e.monitor_version AND m.is_active = 1 JOIN setups s ON s.id = m.setup_id
     WHERE e.is_current = 1 AND s.deleted_at_ms IS NULL`,
  )
  const values = new Map(rows.map((row) => [`${row.external_id} ${row.unit.toLowerCase()}`, row.value]))
  for (const span of model.required()) {
    for (const [externalId, definition] of span.setupsBefore) {
      // Only of a setup that has stayed what it was since before the span was sent the outcome is certain.
      if (model.setups.get(externalId)?.definition !== definition || !model.isSteady(externalId)) continue
      checkScore(values, externalId, definition, span)
    }
  }
}

function checkScore(
  values: ReadonlyMap<string, number>,
  externalId: string,
  definition: string,
  span: SimulatedSpan,
): void {
  const [agent, slug, scope] = definition.split(' ')
  if (span.encoded.attributes?.['agent'] !== agent) return
  const unit = scope === 'trace' ? span.traceId : span.traceId + span.spanId
  const value = values.get(`${externalId} ${unit}`)
  if (value === undefined) throw new Violation(`${span.key} has no score by ${externalId} (${definition})`)
  if (scope === 'trace') return
  const expected = slug === 'char-count' ? span.completion.length : span.completion.split(' ').length
  if (value !== expected)
    throw new Violation(`${span.key} has the score ${value} by ${externalId} instead of ${expected}`)
}

/** Nothing of what was deleted is left in any row. */
function checkErased(db: SqliteDatabase, model: Model): void {
  const deleted = model.deleted()
  if (deleted.length === 0) return
  const batches = db.all<{ id: number; bytes: Uint8Array; byte_length: number }>(
    'SELECT id, bytes, byte_length FROM span_batches',
  )
  const texts = batches.map(({ bytes, byte_length: byteLength }) =>
    unpackBytesSync({ bytes, byteLength, knownFaults: [] }).toString('latin1'),
  )
  const units = new Set(
    db
      .all<{ id: string }>('SELECT hex(trace_id) || hex(span_id) AS id FROM evaluations')
      .map(({ id }) => id.toLowerCase()),
  )
  for (const { key, traceId, spanId } of deleted) {
    // The dash ends the number, so that one name is no part of another.
    if (texts.some((text) => text.includes(`secret-${key}-`)))
      throw new Violation(`the content of the deleted span ${key} is still stored`)
    if (units.has(traceId + spanId)) throw new Violation(`a score of the deleted span ${key} is still stored`)
  }
}
