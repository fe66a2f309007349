/** Writes numbers one after the other, small ones in few bytes. */
export class CompactWriter {
  readonly #bytes: number[] = []

  /** A whole number from 0 to 2^53 - 1, seven bits to a byte. */
  unsigned(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.#bytes.push((rest % 0x80) | 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes.push(rest)
  }

  /** A whole number from -2^52 to 2^52 - 1; the sign goes into the lowest bit. */
  signed(value: number): void {
    this.unsigned(value < 0 ? -value * 2 - 1 : value * 2)
  }

  /** Any number, in eight bytes. */
  float(value: number): void {
    this.#bytes.push(...new Uint8Array(Float64Array.of(value).buffer))
  }

  finish(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }
}

/** Reads what `CompactWriter` wrote and throws at its end instead of inventing a number. */
export class CompactReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  unsigned(): number {
    // Most numbers are one byte.
    const first = this.#byte()
    if (first < 0x80) return first
    this.#at--
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#byte()
      value += (byte & 0x7f) * scale
      if (!Number.isSafeInteger(value)) throw new Error('a number is too large to be read')
      if (byte < 0x80) return value
    }
  }

  signed(): number {
    const value = this.unsigned()
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2
  }

  float(): number {
    const eight = this.#bytes.slice(this.#at, this.#at + 8)
    if (eight.length < 8) throw new Error('the bytes end too early')
    this.#at += 8
    return new Float64Array(eight.buffer)[0] as number
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw new Error('the bytes end too early')
    return byte
  }
}
