import { createHash } from 'node:crypto'

/** A value as either store hands it out. */
export type StoredValue = string | number | null | Uint8Array

const LANES = 4

/**
 * A checksum over rows that does not depend on their order: hashes of the rows are added up. Every value goes in with its kind
 * and its length, so that no two different rows have the same bytes. Both stores are read as values first, so that the bytes of
 * a row are the same whichever store holds it.
 */
export class RowChecksum {
  readonly #sums = new Uint32Array(LANES)
  rows = 0

  add(row: readonly StoredValue[]): void {
    const hash = createHash('sha256')
    for (const value of row) {
      const [kind, bytes] = bytesOf(value)
      hash.update(`${kind}${bytes.length}:`).update(bytes)
    }
    const digest = hash.digest()
    for (let lane = 0; lane < LANES; lane++)
      this.#sums[lane] = (this.#sums[lane] as number) + digest.readUInt32LE(lane * 4)
    this.rows++
  }

  toString(): string {
    return [...this.#sums].map((sum) => sum.toString(16).padStart(8, '0')).join('')
  }
}

function bytesOf(value: StoredValue): ['n' | 'd' | 't' | 'b', Uint8Array] {
  if (value === null) return ['n', Buffer.alloc(0)]
  if (typeof value === 'number') return ['d', Buffer.from(String(value))]
  if (typeof value === 'string') return ['t', Buffer.from(value)]
  return ['b', value]
}
