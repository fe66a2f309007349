import { isMarkedAsUntransferable } from 'node:worker_threads'

/**
 * Gives the memory of large bytes back at once. Memory outside the heap counts towards the next garbage collection: with
 * a megabyte for each request it was collections that took a quarter of the CPU. The caller must own the bytes alone, and
 * no code may use them any more.
 */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return
  // Small buffers of Node.js lie together in one piece of memory, which cannot be given away.
  if (!isMarkedAsUntransferable(buffer)) buffer.transfer(0)
}
