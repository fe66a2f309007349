/**
 * Gives the memory of large bytes back at once. Memory outside the heap counts towards the next garbage collection: with
 * a megabyte for each request it was collections that took a third of the CPU. The bytes must be nobody else's, and
 * nobody may use them any more.
 */
export function releaseBytes({ buffer }: Uint8Array): void {
  // What is as small as this may lie in memory that Node.js shares among buffers, and is not worth it.
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
