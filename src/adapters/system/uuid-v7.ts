import { randomFillSync } from 'node:crypto'
import { formatUuid } from '../../lib/uuid.ts'
import type { IdSource } from '../../ports/ids.ts'

/**
 * UUIDs of version 7. Those made by one process sort strictly in order of creation (48 bits of milliseconds, then a
 * 12-bit counter that starts anew each millisecond); the other 62 bits are random, so that none can be guessed.
 */
export function createUuidV7Source(nowMs: () => number = Date.now): IdSource {
  let lastMs = 0
  let counter = 0
  const bytes = Buffer.alloc(16)
  return {
    newId() {
      const ms = Math.max(nowMs(), lastMs)
      counter = ms === lastMs ? counter + 1 : 0
      // After 4,096 ids in one millisecond borrow the next one rather than lose the order.
      lastMs = counter > 0xfff ? ms + 1 : ms
      if (counter > 0xfff) counter = 0
      randomFillSync(bytes)
      bytes.writeUIntBE(lastMs, 0, 6)
      bytes.writeUInt16BE(counter, 6)
      return formatUuid(bytes, 7)
    },
  }
}
