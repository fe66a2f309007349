import { damaged, type Random } from '../../otlp/random-traces.ts'

/** A field of a protobuf message as it stands on the wire; what has a length may itself hold fields. */
interface WireField {
  tag: number
  /** The varint, or the bytes of a fixed-width number or of a block. */
  value: Buffer
  children?: WireField[]
}

const LENGTH_DELIMITED = 2
const DEPTH_MAX = 12

/** Protobuf bytes with one to three faults that no encoder makes; none of them nests deeper than the official parsers go. */
export function mutatedProtobuf(random: Random, bytes: Buffer): Buffer {
  let mutated = bytes
  for (let faults = 1 + random.below(3); faults > 0; faults--)
    mutated = random.chance(2) ? damaged(random, mutated) : restructured(random, mutated, random.pick(FAULTS))
  return mutated
}

/** Protobuf bytes with a value that is nested far deeper than any sender writes. */
export function deepProtobuf(random: Random, bytes: Buffer): Buffer {
  return restructured(random, bytes, nestDeeper)
}

/** Changes one field of the message tree and writes the tree anew, so that the lengths around it are right. */
function restructured(random: Random, bytes: Buffer, fault: Fault): Buffer {
  const root = parse(bytes, 0)
  if (!root) return damaged(random, bytes)
  const lists = listsIn(root)
  const list = random.pick(lists.filter((fields) => fields.length > 0).concat(lists.slice(0, 1)))
  if (list.length === 0) return damaged(random, bytes)
  const at = random.below(list.length)
  const field = list[at] as WireField
  fault(random, field, list, at)
  const parts: Buffer[] = []
  for (const each of root) writeTo(parts, each)
  return Buffer.concat(parts)
}

type Fault = (random: Random, field: WireField, list: WireField[], at: number) => void

const FAULTS: readonly Fault[] = [
  function repeatField(random, field, list) {
    list.splice(random.below(list.length + 1), 0, ...Array.from({ length: 1 + random.below(3) }, () => field))
  },
  function dropField(_random, _field, list, at) {
    list.splice(at, 1)
  },
  function changeWireType(random, field) {
    field.tag = (field.tag & ~7) | random.below(8)
    delete field.children
  },
  function changeNumber(random, field) {
    field.tag = (random.pick([0, 1, 2, 15, 16, 19_000, 536_870_911]) * 8 + (field.tag & 7)) >>> 0
  },
  function padVarint(random, field) {
    if ((field.tag & 7) === 0) field.value = overlong(field.value, 1 + random.below(12))
  },
  function swapFields(random, field, list, at) {
    const other = random.below(list.length)
    list[at] = list[other] as WireField
    list[other] = field
  },
  function fillBlock(random, field) {
    if ((field.tag & 7) !== LENGTH_DELIMITED) return
    field.value = Buffer.alloc(random.pick([0, 1, 7, 8, 9, 15, 16, 17, 4_096]), random.below(256))
    delete field.children
  },
]

function nestDeeper(random: Random, field: WireField): void {
  if ((field.tag & 7) !== LENGTH_DELIMITED) return
  const depth = random.pick([2, 40, 120, 2_000])
  let length = write(field).length
  const parts = [write(field)]
  // An array value in an AnyValue in an array value, as far as it goes; from the inside to the outside.
  for (let level = 0; level < depth; level++) {
    for (const tag of [0x0a, 0x2a]) {
      const head = Buffer.concat([Buffer.from([tag]), varint(length)])
      parts.push(head)
      length += head.length
    }
  }
  field.value = Buffer.concat(parts.reverse())
  delete field.children
}

function listsIn(fields: WireField[], found: WireField[][] = []): WireField[][] {
  found.push(fields)
  for (const { children } of fields) if (children) listsIn(children, found)
  return found
}

/** The fields of a message; undefined where the bytes are none. */
function parse(bytes: Buffer, depth: number): WireField[] | undefined {
  const fields: WireField[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at)
    if (!tag || tag.value < 8 || tag.value > 0xffff_ffff) return undefined
    const content = contentAt(bytes, tag.end, tag.value % 8)
    if (!content) return undefined
    const field: WireField = { tag: tag.value, value: content.value }
    const isMessage = tag.value % 8 === LENGTH_DELIMITED && depth < DEPTH_MAX && !isText(content.value)
    const children = isMessage ? parse(content.value, depth + 1) : undefined
    if (children && children.length > 0) field.children = children
    fields.push(field)
    at = content.end
  }
  return fields
}

/** Whether a block is more likely text than a message: long and without any control character. */
function isText(block: Buffer): boolean {
  return block.length > 16 && block.subarray(0, 16).every((byte) => byte >= 32)
}

function contentAt(bytes: Buffer, at: number, wireType: number): { value: Buffer; end: number } | undefined {
  const take = (start: number, length: number) =>
    start + length <= bytes.length
      ? { value: bytes.subarray(start, start + length), end: start + length }
      : undefined
  if (wireType === 1) return take(at, 8)
  if (wireType === 5) return take(at, 4)
  const number = readVarint(bytes, at)
  if (!number) return undefined
  if (wireType === 0) return { value: bytes.subarray(at, number.end), end: number.end }
  return wireType === LENGTH_DELIMITED ? take(number.end, number.value) : undefined
}

function readVarint(bytes: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0
  for (let at = start; at < bytes.length && at < start + 10; at++) {
    const byte = bytes[at] as number
    value += (byte & 127) * 2 ** (7 * (at - start))
    if (byte < 128) return { value, end: at + 1 }
  }
  return undefined
}

function write(field: WireField): Buffer {
  const parts: Buffer[] = []
  writeTo(parts, field)
  return Buffer.concat(parts)
}

/** Adds the bytes of a field and tells how many they are, so that the length before them is known without copying. */
function writeTo(parts: Buffer[], { tag, value, children }: WireField): number {
  const head = parts.push(Buffer.alloc(0)) - 1
  let length = 0
  if (children) for (const child of children) length += writeTo(parts, child)
  else length = parts.push(value) && value.length
  const isBlock = (tag & 7) === LENGTH_DELIMITED
  const prefix = isBlock ? Buffer.concat([varint(tag), varint(length)]) : varint(tag)
  parts[head] = prefix
  return prefix.length + length
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}

/** The same number in more bytes than it needs. */
function overlong(number: Buffer, padding: number): Buffer {
  const bytes = Buffer.concat([number, Buffer.alloc(padding)])
  for (let at = 0; at < bytes.length - 1; at++) bytes[at] = (bytes[at] as number) | 128
  return bytes
}
