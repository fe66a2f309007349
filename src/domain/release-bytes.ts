/**
 * Gives the memory of large bytes back at once. Memory outside the heap counts towards the next garbage collection: with
 * a megabyte for each request it was collections that took a quarter of the CPU. The bytes must be nobody else's, and
 * nobody may use them any more.
 */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return
  // Small buffers of Node.js lie together in one piece of memory, of which none has the whole.
  if (bytes.length === buffer.byteLength || buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
