import { promisify } from 'node:util'
import { constants, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { releaseBytes } from '../release-bytes.ts'
import { pickSpans } from './pick-spans.ts'
import { scanStoredTraces, scanTraces } from './scan-traces.ts'
import type { SpanView } from './span-view.ts'

const decompress = promisify(zstdDecompress)

/** A batch as it is kept: the request in protobuf, compressed, and what has to be left out of it. */
export interface PackedSpans {
  readonly bytes: Uint8Array
  /** Length before compression. */
  readonly byteLength: number
  /** Places, among all spans of the request, of those that were not accepted. */
  readonly knownFaults: readonly number[]
}

/** The accepted spans of a stored batch, in the order in which they were accepted; for the event loop. */
export async function unpackSpans({
  bytes,
  byteLength,
  knownFaults,
}: PackedSpans): Promise<readonly SpanView[]> {
  return scanStoredTraces(await decompress(bytes, { maxOutputLength: byteLength }), knownFaults)
}

/**
 * Some of these spans, by their ordinals. Few spans of many batches are read in a fraction of the time, and the memory of a
 * batch is given back at once.
 */
export async function unpackSomeSpans(
  { bytes, byteLength, knownFaults }: PackedSpans,
  ordinals: ReadonlySet<number>,
): Promise<ReadonlyMap<number, SpanView>> {
  const unpacked = await decompress(bytes, { maxOutputLength: byteLength, chunkSize: wholeChunk(byteLength) })
  const picked = pickSpans(unpacked, knownFaults, ordinals)
  releaseBytes(unpacked)
  const { spans, rejectedPlaces } = scanTraces(picked)
  // A rule that is new since the batch came may refuse a span.
  const accepted = [...ordinals]
    .sort((left, right) => left - right)
    .filter((_, at) => !rejectedPlaces.includes(at))
  return new Map(spans.map((view, at) => [accepted[at] as number, view]))
}

/** The accepted spans again, for a thread, which has nothing else to do meanwhile. */
export function unpackSpansSync(batch: PackedSpans): readonly SpanView[] {
  return scanStoredTraces(unpackBytesSync(batch), batch.knownFaults)
}

/** The request of a stored batch in memory of its own, which the caller may release. */
export function unpackBytesSync({ bytes, byteLength }: PackedSpans): Buffer {
  return zstdDecompressSync(bytes, { maxOutputLength: byteLength, chunkSize: wholeChunk(byteLength) })
}

/**
 * One piece of memory for all of a batch takes half the time of the default, 16 KiB after 16 KiB. The byte more tells zlib
 * that it was not full.
 */
function wholeChunk(byteLength: number): number {
  return Math.max(byteLength + 1, constants.Z_MIN_CHUNK)
}
