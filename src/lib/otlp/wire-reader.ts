import { invalidInput, type PublicError } from '../public-error.ts'
import { GROUP_DEPTH_MAX } from './otlp-limits.ts'

/** Bits of the last byte of a five-byte tag that would not fit into 32 bits. */
const TAG_OVERFLOW = 0xf0
const VARINT_BYTES_MAX = 10

/** The error for a body that cannot be read at all; `at` is the byte where reading stopped. */
export function malformed(what: string, at: number): PublicError {
  return invalidInput(`body is not a valid OTLP protobuf message: ${what} at byte ${at}`)
}

/**
 * Reads protobuf's wire format from `at` on. Every method is told where the message it reads in ends and throws rather
 * than pass that end, so that a loop `while (reader.at < end)` always stops exactly there.
 */
export class WireReader {
  readonly bytes: Buffer
  readonly view: DataView
  at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** A field's number and wire type; at most 32 bits in at most five bytes. */
  tag(end: number): number {
    const at = this.at
    if (at < end) {
      const first = this.bytes[at] as number
      if (first < 0x80) {
        this.at = at + 1
        return first
      }
    }
    return this.#long(end, 'a field tag', TAG_OVERFLOW)
  }

  /** Reads the length of what follows and returns where it ends; `at` is then where it starts. */
  block(end: number): number {
    const at = this.at
    let size = -1
    if (at < end) {
      const first = this.bytes[at] as number
      if (first < 0x80) {
        this.at = at + 1
        size = first
      }
    }
    // A length has 31 bits.
    if (size < 0) size = this.#long(end, 'a length', 0xf8)
    const blockEnd = this.at + size
    if (blockEnd > end) throw malformed(`${size} bytes announced, ${end - this.at} left`, this.at)
    return blockEnd
  }

  #long(end: number, what: string, overflow: number): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.at >= end) throw malformed(`${what} is cut off`, this.at)
      const byte = this.bytes[this.at++] as number
      if (shift === 28 && (byte & overflow) !== 0) break
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
    throw malformed(`${what} is too long`, this.at)
  }

  /** The low 32 bits of a varint as a signed number, which is what an enum is. */
  int32(end: number): number {
    const start = this.at
    this.skipVarint(end)
    let value = 0
    const last = Math.min(this.at, start + 5)
    for (let at = start, shift = 0; at < last; at++, shift += 7)
      value |= ((this.bytes[at] as number) & 0x7f) << shift
    return value
  }

  /** A 64-bit signed integer: a number where that is exact, a bigint otherwise. */
  int64(end: number): number | bigint {
    const start = this.at
    this.skipVarint(end)
    let low = 0
    let high = 0
    for (let at = start, shift = 0; at < this.at; at++, shift += 7) {
      const bits = (this.bytes[at] as number) & 0x7f
      if (shift < 32) low |= bits << shift
      if (shift === 28) high |= bits >>> 4
      else if (shift > 28) high |= bits << (shift - 32)
    }
    const value = high * 0x1_0000_0000 + (low >>> 0)
    return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low >>> 0)
  }

  /** A boolean, true unless all bits of its varint are 0. */
  bool(end: number): boolean {
    const start = this.at
    this.skipVarint(end)
    for (let at = start; at < this.at; at++) if (((this.bytes[at] as number) & 0x7f) !== 0) return true
    return false
  }

  /** Passes `count` bytes and returns where they started. */
  fixed(count: number, end: number): number {
    const start = this.at
    if (start + count > end) throw malformed(`${count} bytes needed, ${end - start} left`, start)
    this.at = start + count
    return start
  }

  /** Passes a varint of at most ten bytes. */
  skipVarint(end: number): void {
    const last = Math.min(end, this.at + VARINT_BYTES_MAX)
    for (let at = this.at; at < last; at++) {
      if ((this.bytes[at] as number) < 0x80) {
        this.at = at + 1
        return
      }
    }
    throw malformed(last === end ? 'a varint is cut off' : 'a varint is longer than ten bytes', this.at)
  }

  /** Passes the field whose tag was just read: an unknown one, or a known one of another wire type. */
  skip(tag: number, end: number, depth = 0): void {
    if (tag >>> 3 === 0) throw malformed('field number 0', this.at)
    switch (tag & 7) {
      case 0:
        this.skipVarint(end)
        return
      case 1:
        this.fixed(8, end)
        return
      case 2:
        this.at = this.block(end)
        return
      case 3:
        this.#skipGroup(tag, end, depth)
        return
      case 5:
        this.fixed(4, end)
        return
      default:
        throw malformed(`unexpected wire type ${tag & 7}`, this.at)
    }
  }

  #skipGroup(startTag: number, end: number, depth: number): void {
    if (depth >= GROUP_DEPTH_MAX)
      throw malformed(`groups nested deeper than ${GROUP_DEPTH_MAX} levels`, this.at)
    const endTag = (startTag | 7) - 3
    for (;;) {
      if (this.at >= end) throw malformed('a group has no end', this.at)
      const tag = this.tag(end)
      if (tag >>> 0 === endTag >>> 0) return
      this.skip(tag, end, depth + 1)
    }
  }
}
