/** Sixteen bytes in the usual notation, with the version and variant bits set. */
export function formatUuid(bytes: Uint8Array, version: number): string {
  let hex = ''
  for (const [at, byte] of bytes.subarray(0, 16).entries()) {
    const fixed = at === 6 ? (version << 4) | (byte & 0x0f) : at === 8 ? 0x80 | (byte & 0x3f) : byte
    hex += fixed.toString(16).padStart(2, '0')
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
