import { isOutOfMemory } from '../../domain/errors.ts'
import { addUnits, countUnits, listUnits } from '../../domain/unit-set.ts'
import { eraseSpans } from '../../lib/otlp/erase-spans.ts'
import { scanStoredTraces } from '../../lib/otlp/scan-traces.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import type { BatchRow } from './span-rows.ts'

const NANOSECONDS = 1_000_000_000n

/** The spans to erase from a batch, with the batch; the columns of the batch are null where it is gone. */
export interface ErasureRow extends BatchRow {
  units: Uint8Array
  span_count: number
}

export const SELECT_ERASURE = `SELECT e.batch_id AS id, e.units, b.env_project_id, b.received_at_ms, b.byte_length,
    b.known_faults, b.repeated, b.bytes, b.span_count
  FROM erasures e LEFT JOIN span_batches b ON b.id = e.batch_id ORDER BY e.batch_id LIMIT 1`

/** The spans that are to be erased, and the batch without their content. */
export interface ErasedBatch {
  /** Absent when nothing readable is left: then the whole batch goes. The bytes are not compressed yet. */
  readonly rest?: { readonly bytes: Uint8Array; readonly repeated: Uint8Array }
  readonly spans: readonly ErasedSpan[]
}

/** A span by its place in the index and in its batch. */
export interface ErasedSpan {
  readonly second: number
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
  readonly ordinal: number
}

/** A batch without the content of the spans that are to be erased. The request comes unpacked, undefined when that fails. */
export function eraseFromBatch(
  row: ErasureRow,
  request: Buffer | undefined,
  knownFaults: readonly number[],
): ErasedBatch {
  const views = request && viewsOf(request, knownFaults)
  // This batch can no longer be read, so there is nothing in it that is worth keeping.
  if (!request || !views) return { spans: [] }
  const { units } = row
  const spans = listUnits(units).flatMap((ordinal) => {
    const view = views[ordinal]
    return view ? [{ ...keyOf(view), ordinal }] : []
  })
  const repeated = new Uint8Array(Math.max(units.length, row.repeated?.length ?? 0))
  addUnits(repeated, units)
  if (row.repeated) addUnits(repeated, row.repeated)
  if (countUnits(repeated) >= row.span_count) return { spans }
  const erased = new Map(spans.map(({ ordinal, ...ids }) => [ordinal, ids]))
  return { spans, rest: { bytes: eraseSpans(request, knownFaults, erased), repeated } }
}

function viewsOf(request: Buffer, knownFaults: readonly number[]): readonly SpanView[] | undefined {
  try {
    return scanStoredTraces(request, knownFaults)
  } catch (error) {
    // Then it could be read with more room, and is.
    if (isOutOfMemory(error)) throw error
    return undefined
  }
}

function keyOf(view: SpanView) {
  return {
    second: Number(view.startUnixNano / NANOSECONDS),
    traceId: Uint8Array.from(view.traceIdBytes),
    spanId: Uint8Array.from(view.spanIdBytes),
  }
}
