/** Shorter repeats say little. */
const REPEAT_BYTES_MIN = 5
const TABLE_BITS_MAX = 20

/**
 * Makes bytes cheaper that go on as the same bytes went on earlier in the text: a name is surprising once, and the lines
 * of a table resemble each other. Its prediction is mixed with the model's, so that it stays a probability.
 */
export class RepeatFinder {
  readonly #bytes: Uint8Array
  /** By a hash of the last bytes: the place behind their last occurrence. */
  readonly #places: Int32Array
  readonly #shift: number
  /** Where the repeat goes on, or -1, and how many bytes have agreed so far. */
  #next = -1
  #length = 0

  constructor(bytes: Uint8Array) {
    const tableBits = Math.min(TABLE_BITS_MAX, Math.max(8, 32 - Math.clz32(bytes.length)))
    this.#bytes = bytes
    this.#shift = 32 - tableBits
    this.#places = new Int32Array(2 ** tableBits).fill(-1)
  }

  /** The cost in bits of the byte at a place, given what it costs without regard to repeats. Asked for place by place. */
  cost(at: number, bits: number): number {
    const cost = this.#next < 0 ? bits : this.#mixedCost(at, bits)
    this.#advance(at)
    return cost
  }

  #mixedCost(at: number, bits: number): number {
    const trust = trustIn(this.#length)
    const rest = (1 - trust) * 2 ** -bits
    return -Math.log2(this.#bytes[this.#next] === this.#bytes[at] ? rest + trust : rest)
  }

  #advance(at: number): void {
    if (this.#next >= 0 && this.#bytes[this.#next] === this.#bytes[at]) {
      this.#next++
      this.#length++
    } else {
      this.#next = -1
    }
    if (at < REPEAT_BYTES_MIN - 1) return
    const slot = this.#hash(at)
    if (this.#next < 0) {
      const place = this.#places[slot] as number
      if (place >= 0 && this.#isRepeat(place, at)) {
        this.#next = place
        this.#length = REPEAT_BYTES_MIN
      }
    }
    this.#places[slot] = at + 1
  }

  /** Different bytes may share a slot; then there is no repeat. */
  #isRepeat(place: number, at: number): boolean {
    for (let back = 0; back < REPEAT_BYTES_MIN; back++) {
      if (this.#bytes[place - 1 - back] !== this.#bytes[at - back]) return false
    }
    return true
  }

  #hash(at: number): number {
    let hash = 0
    for (let back = 0; back < REPEAT_BYTES_MIN; back++) {
      hash = Math.imul(hash ^ (this.#bytes[at - back] as number), 0x01000193) + back
    }
    return Math.imul(hash, 0x9e3779b1) >>> this.#shift
  }
}

/** How likely a repeat goes on; the longer it has lasted, the likelier. Chosen on text that was held out of training. */
function trustIn(length: number): number {
  return length < 8 ? 0.35 + 0.1 * (length - REPEAT_BYTES_MIN) : Math.min(0.93, 0.65 + 0.03 * (length - 8))
}
