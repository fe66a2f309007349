/** The same bytes in memory of their own, so that they can be handed to another thread without a copy. */
export function ownedBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
  // Small buffers of Node.js share their memory with strangers.
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes)
}
