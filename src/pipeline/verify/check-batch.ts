import { crc32 } from 'node:zlib'
import type { BatchDigest } from '../../domain/trace-digest.ts'
import { listUnits } from '../../domain/unit-set.ts'
import type { IndexedSpan, VerifiedBatch } from '../../ports/verification-storage.ts'

/** Facts read again from the spans of a batch. */
export interface BatchFacts {
  /** 24 bytes for each span: trace id, then span id. */
  readonly ids: Uint8Array
  readonly startSeconds: Float64Array
  readonly digest: BatchDigest
}

const IDS_BYTES = 24
const TRACE_ID_BYTES = 16

/** Whether the bytes are the ones that were stored; undefined when that is unknown. */
export function isUndamaged({ bytes, checksum }: VerifiedBatch): boolean | undefined {
  return checksum === undefined ? undefined : crc32(bytes) === checksum
}

/** The spans of a batch that the index has to know: those that came first here and are not about to be erased. */
export function indexedSpans(
  { repeated, erased }: VerifiedBatch,
  { ids, startSeconds }: BatchFacts,
): IndexedSpan[] {
  const left = new Set([...repeated, ...erased])
  return Array.from(startSeconds, (second, ordinal) => {
    const id = Buffer.from(ids.buffer, ids.byteOffset + ordinal * IDS_BYTES, IDS_BYTES)
    const traceId = id.toString('hex', 0, TRACE_ID_BYTES)
    return { ordinal, second, traceId, spanId: id.toString('hex', TRACE_ID_BYTES) }
  }).filter(({ ordinal }) => !left.has(ordinal))
}

/** Traces that the batch belongs to and is not in, or is in with other spans. Nothing when it is not summed up. */
export function misplacedTraces(batch: VerifiedBatch, { digest }: BatchFacts): string[] {
  if (batch.digest !== 'done') return []
  const erased = new Set(batch.erased)
  const said = new Map(
    digest.traces
      .map(({ traceId, units }) => [traceId, listUnits(units).filter((unit) => !erased.has(unit))] as const)
      .filter(([, units]) => units.length > 0),
  )
  const stored = new Map(batch.places.map(({ traceId, units }) => [traceId, listUnits(units)]))
  const traceIds = new Set([...said.keys(), ...stored.keys()])
  return [...traceIds].filter((id) => String(said.get(id)) !== String(stored.get(id)))
}
