/**
 * Which units a sampling rate lets through. The trace id decides, so that all spans of a trace and all workers agree, and
 * so that a higher rate lets through everything that a lower one did.
 *
 * The number of a trace is MurmurHash3 (x86, 32 bits, seed 0) of the 16 bytes of its id, divided by 2^32. A hash, because
 * ids are not always random: some senders count, and an SDK that samples by the id itself sends only ids of one range.
 */

/** The number of a trace, at least 0 and below 1; the id as bytes or as 32 hex digits. */
export function samplingNumber(traceId: Uint8Array | string): number {
  const bytes = typeof traceId === 'string' ? Buffer.from(traceId, 'hex') : traceId
  let hash = 0
  for (let at = 0; at < 16; at += 4) {
    let word = Math.imul(littleEndian(bytes, at), 0xcc9e2d51)
    word = Math.imul((word << 15) | (word >>> 17), 0x1b873593)
    hash ^= word
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64
  }
  hash ^= 16
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000
}

/** Whether a trace is among the share `rate` of all traces; 0 lets none through and 1 all. */
export function isSampled(traceId: Uint8Array | string, rate: number): boolean {
  return rate >= 1 || samplingNumber(traceId) < rate
}

function littleEndian(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at + 3] as number) << 24) | ((bytes[at + 2] as number) << 16)
  return high | ((bytes[at + 1] as number) << 8) | (bytes[at] as number)
}
