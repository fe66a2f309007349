/** Writes protobuf's wire format into a buffer that grows. Fields are written even when they hold the default value. */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(1024)
  #at = 0

  /** The bytes written so far; later writes do not change them. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at))
  }

  /** A signed or unsigned integer of up to 64 bits as a varint. */
  varint(field: number, value: number | bigint): void {
    this.#tag(field, 0)
    this.#rawVarint(value)
  }

  bool(field: number, value: boolean): void {
    this.varint(field, value ? 1 : 0)
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, 5)
    this.#reserve(4)
    this.#at = this.#bytes.writeUInt32LE(value, this.#at)
  }

  fixed64(field: number, value: bigint): void {
    this.#tag(field, 1)
    this.#reserve(8)
    this.#at = this.#bytes.writeBigUInt64LE(value, this.#at)
  }

  double(field: number, value: number): void {
    this.#tag(field, 1)
    this.#reserve(8)
    this.#at = this.#bytes.writeDoubleLE(value, this.#at)
  }

  /** Text as UTF-8; an unpaired surrogate becomes U+FFFD. */
  string(field: number, value: string): void {
    const length = Buffer.byteLength(value)
    this.#tag(field, 2)
    this.#rawVarint(length)
    this.#reserve(length)
    this.#at += this.#bytes.write(value, this.#at, 'utf8')
  }

  bytes(field: number, value: Uint8Array): void {
    this.#tag(field, 2)
    this.#rawVarint(value.length)
    this.raw(value)
  }

  /** Bytes as they are, for fields that are encoded already. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#bytes.set(value, this.#at)
    this.#at += value.length
  }

  /** A sub-message whose fields `write` writes. */
  message(field: number, write: () => void): void {
    this.#tag(field, 2)
    const lengthAt = this.#at
    this.#rawVarint(0)
    const start = this.#at
    write()
    const length = this.#at - start
    // Most messages are short, so one byte was left for the length and only a longer one is moved.
    const extra = varintSize(length) - 1
    this.#reserve(extra)
    if (extra > 0) this.#bytes.copyWithin(start + extra, start, this.#at)
    this.#at = lengthAt
    this.#rawVarint(length)
    this.#at += length
  }

  /** Where the next field will be written. */
  get position(): number {
    return this.#at
  }

  /** Forgets everything that was written from `position` on. */
  rewind(position: number): void {
    this.#at = position
  }

  #tag(field: number, wireType: number): void {
    this.#rawVarint(field * 8 + wireType)
  }

  #rawVarint(value: number | bigint): void {
    this.#reserve(10)
    if (typeof value === 'number' && value >= 0 && value < 0x8000_0000) {
      let rest = value
      for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#at++] = (rest & 0x7f) | 0x80
      this.#bytes[this.#at++] = rest
      return
    }
    let rest = BigInt.asUintN(64, BigInt(value))
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80
    this.#bytes[this.#at++] = Number(rest)
  }

  #reserve(count: number): void {
    const needed = this.#at + count
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}

function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest > 0x7f; rest >>>= 7) size++
  return size
}
