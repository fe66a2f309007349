import type { CatalogueSetup, SpanRef, StoredBatch } from '../../ports/span-storage.ts'

/** Bytes of the ids of one span in a packed batch: its trace id, then its own. */
export const IDS_BYTES = 24
export const TRACE_ID_BYTES = 16

/** A batch with what is needed to read its spans again. */
export interface BatchRow {
  id: number
  env_project_id: string
  received_at_ms: number
  byte_length: number
  known_faults: string | null
  repeated: Uint8Array | null
  bytes: Uint8Array
}

export const SELECT_BATCH = `SELECT b.id, b.env_project_id, b.received_at_ms, b.byte_length, b.known_faults, b.repeated,
    b.bytes FROM span_batches b`

/** A row of `SELECT_BATCH` as the port wants it. */
export function toBatch(row: BatchRow): StoredBatch {
  return {
    batchId: row.id,
    receivedAtMs: row.received_at_ms,
    envProjectId: row.env_project_id,
    bytes: row.bytes,
    byteLength: row.byte_length,
    knownFaults: row.known_faults === null ? [] : JSON.parse(row.known_faults),
  }
}

/** The current version of a setup. */
export interface CatalogueRow {
  number: number
  setup_id: string
  env_project_id: string
  selector: string
}

/** The part of a version that the matcher needs. */
export function toCatalogueSetup(row: CatalogueRow): CatalogueSetup {
  return {
    setupVersion: row.number,
    setupId: row.setup_id,
    envProjectId: row.env_project_id,
    selector: JSON.parse(row.selector),
  }
}

/** The place of a span in the index of spans. */
export interface SpanRow {
  second: number
  trace_id: Uint8Array
  span_id: Uint8Array
  batch_id: number
  ordinal: number
}

/** A row of the index with its ids in the form in which they are shown. */
export function toSpanRef(row: SpanRow): SpanRef {
  return {
    second: row.second,
    traceId: toHex(row.trace_id),
    spanId: toHex(row.span_id),
    batchId: row.batch_id,
    ordinal: row.ordinal,
  }
}

/** An id as it is shown. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
