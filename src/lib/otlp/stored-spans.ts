import { promisify } from 'node:util'
import { constants, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { scanStoredTraces } from './scan-traces.ts'
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

/** The same for a thread, which has nothing else to do meanwhile. */
export function unpackSpansSync(batch: PackedSpans): readonly SpanView[] {
  return scanStoredTraces(unpackBytesSync(batch), batch.knownFaults)
}

/** The request of a stored batch in memory of its own, which the caller may release. */
export function unpackBytesSync({ bytes, byteLength }: PackedSpans): Buffer {
  // One piece of memory for all of it takes half the time of the default, 16 KiB after 16 KiB. The byte more tells zlib
  // that it was not full.
  const chunkSize = Math.max(byteLength + 1, constants.Z_MIN_CHUNK)
  return zstdDecompressSync(bytes, { maxOutputLength: byteLength, chunkSize })
}
