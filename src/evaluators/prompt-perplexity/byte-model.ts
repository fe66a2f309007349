import { brotliDecompressSync } from 'node:zlib'

/** Costs are counted in steps of this many bits, so that sums of them are exact. */
export const STEP_BITS = 1 / 8

const MAGIC = 'ASSAYBN1'
/** A byte that no gram knows: one of 256, all alike. */
const UNKNOWN_STEPS = 8 / STEP_BITS
/** The link of a node whose shorter gram has not been looked up yet. */
const NOT_LOOKED_FOR = 0xffffffff

/**
 * How predictable bytes are after the bytes before them: a model of byte n-grams, as a trie. A node is one gram; it
 * knows what its last byte costs after the others, and what it costs to leave it for the gram without its first byte
 * when a byte follows that it does not know.
 *
 * The nodes are numbered level by level, the children of one node next to each other in order of their byte. So the
 * file needs only, per node: byte, cost, number of children, cost of leaving. For every gram that is a node, the gram
 * without its first byte is one too, and the gram without its last byte.
 */
export class ByteModel {
  readonly #columns: ByteModelColumns
  /** Children of node n are the nodes from #firstChild[n] up to #firstChild[n + 1]. */
  readonly #firstChild: Uint32Array
  /** The node of the same gram without its first byte. Found when first needed: most of a million are never asked for. */
  readonly #shorter: Uint32Array

  constructor(columns: ByteModelColumns) {
    const nodes = columns.bytes.length
    this.#columns = columns
    this.#firstChild = new Uint32Array(nodes + 1)
    this.#shorter = new Uint32Array(nodes).fill(NOT_LOOKED_FOR)
    let next = 1
    for (let node = 0; node < nodes; node++) {
      this.#firstChild[node] = next
      next += columns.childCounts[node] as number
    }
    this.#firstChild[nodes] = next
    if (next !== nodes) throw new Error('the model file is damaged')
  }

  /** The cost of every byte of a text, in steps, the first bytes as after `before`. Linear in the text. */
  costsOf(text: Uint8Array, before: Uint8Array): Uint16Array {
    const all = new Uint8Array(before.length + text.length)
    all.set(before)
    all.set(text, before.length)
    const { costs, leaving } = this.#columns
    const result = new Uint16Array(all.length)
    // The longest gram that the bytes so far end with, and its length.
    let node = 0
    let length = 0
    for (let at = 0; at < all.length; at++) {
      let steps = 0
      for (;;) {
        const child = this.#child(node, all[at] as number)
        if (child > 0) {
          steps += costs[child] as number
          node = child
          length++
          break
        }
        steps += leaving[node] as number
        if (node === 0) {
          steps += UNKNOWN_STEPS
          break
        }
        length--
        node = this.#shorterOf(node, all, at - length, at)
      }
      result[at] = steps
    }
    return result.subarray(before.length)
  }

  /** The child for a byte; 0, which is no node's child, when there is none. */
  #child(node: number, byte: number): number {
    const { bytes } = this.#columns
    let low = this.#firstChild[node] as number
    let high = (this.#firstChild[node + 1] as number) - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const found = bytes[middle] as number
      if (found === byte) return middle
      if (found < byte) low = middle + 1
      else high = middle - 1
    }
    return 0
  }

  /** The node of the gram that stands in `text` from `start` up to `end`, which is `node` without its first byte. */
  #shorterOf(node: number, text: Uint8Array, start: number, end: number): number {
    const known = this.#shorter[node] as number
    if (known !== NOT_LOOKED_FOR) return known
    let shorter = 0
    for (let at = start; at < end; at++) shorter = this.#child(shorter, text[at] as number)
    this.#shorter[node] = shorter
    return shorter
  }
}

/** The content of the file: one value per node in each column; the first node is the empty gram. */
export interface ByteModelColumns {
  readonly bytes: Uint8Array
  readonly costs: Uint8Array
  readonly childCounts: Uint8Array
  readonly leaving: Uint8Array
}

/** The file of a model before it is compressed: a mark, the number of nodes, the columns one after the other. */
export function packColumns({ bytes, costs, childCounts, leaving }: ByteModelColumns): Uint8Array {
  const head = Buffer.alloc(12)
  head.write(MAGIC, 'latin1')
  head.writeUInt32LE(bytes.length, 8)
  return Buffer.concat([head, bytes, costs, childCounts, leaving])
}

/** Reads the file of a model, as brotli has compressed it. */
export function readByteModel(file: Uint8Array): ByteModel {
  const data = brotliDecompressSync(file)
  const nodes = data.length < 12 ? 0 : data.readUInt32LE(8)
  if (nodes === 0 || data.toString('latin1', 0, 8) !== MAGIC || data.length !== 12 + nodes * 4) {
    throw new Error('the model file is damaged')
  }
  const column = (at: number) => data.subarray(12 + at * nodes, 12 + (at + 1) * nodes)
  return new ByteModel({ bytes: column(0), costs: column(1), childCounts: column(2), leaving: column(3) })
}
