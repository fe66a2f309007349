import { textAt } from './shared-texts.ts'
import type { Attributes, AttributeValue } from './span.ts'
import type { WireReader } from './wire-reader.ts'

/** A value while it is being read: a list or map that occurs twice on the wire is continued. */
type Growing = AttributeValue | AttributeValue[] | { [key: string]: AttributeValue }

/** The value in the fields of a KeyValue between `start` and `end`; null where it has none. */
export function readKeyValue(reader: WireReader, start: number, end: number): AttributeValue {
  reader.at = start
  let value: AttributeValue = null
  while (reader.at < end) {
    const tag = reader.tag(end)
    // A repeated sub-message is merged into the one before, which for a oneof means: continued or replaced.
    if (tag === 0x12) value = readAnyValue(reader, reader.block(end), value)
    else reader.skip(tag, end)
  }
  return value
}

function readAnyValue(reader: WireReader, end: number, before: AttributeValue): AttributeValue {
  let value: Growing = before
  while (reader.at < end) {
    const tag = reader.tag(end)
    switch (tag) {
      case 0x0a: {
        const blockEnd = reader.block(end)
        value = textAt(reader, reader.at, blockEnd)
        reader.at = blockEnd
        break
      }
      case 0x10:
        value = reader.bool(end)
        break
      case 0x18:
        value = reader.int64(end)
        break
      case 0x21:
        value = reader.bytes.readDoubleLE(reader.fixed(8, end))
        break
      case 0x2a:
        value = readArray(reader, reader.block(end), Array.isArray(value) ? value : [])
        break
      case 0x32:
        value = readMap(reader, reader.block(end), isMap(value) ? value : {})
        break
      case 0x3a: {
        const blockEnd = reader.block(end)
        // A copy: a view would keep the whole batch in memory for as long as the value lives.
        value = new Uint8Array(reader.bytes.subarray(reader.at, blockEnd))
        reader.at = blockEnd
        break
      }
      default:
        reader.skip(tag, end)
    }
  }
  return value
}

function readArray(reader: WireReader, end: number, values: AttributeValue[]): AttributeValue[] {
  while (reader.at < end) {
    const tag = reader.tag(end)
    if (tag === 0x0a) values.push(readAnyValue(reader, reader.block(end), null))
    else reader.skip(tag, end)
  }
  return values
}

function readMap(
  reader: WireReader,
  end: number,
  map: { [key: string]: AttributeValue },
): { [key: string]: AttributeValue } {
  while (reader.at < end) {
    const tag = reader.tag(end)
    if (tag === 0x0a) {
      const blockEnd = reader.block(end)
      const start = reader.at
      const key = readKey(reader, start, blockEnd)
      setOwn(map, key, readKeyValue(reader, start, blockEnd))
    } else reader.skip(tag, end)
  }
  return map
}

/** The key of the KeyValue between `start` and `end`. */
export function readKey(reader: WireReader, start: number, end: number): string {
  reader.at = start
  let key = ''
  while (reader.at < end) {
    const tag = reader.tag(end)
    if (tag === 0x0a) {
      const blockEnd = reader.block(end)
      key = textAt(reader, reader.at, blockEnd)
      reader.at = blockEnd
    } else reader.skip(tag, end)
  }
  return key
}

/** Adds the KeyValue between `start` and `end` to `attributes`. */
export function readAttribute(
  reader: WireReader,
  start: number,
  end: number,
  attributes: Map<string, AttributeValue>,
): void {
  const key = readKey(reader, start, end)
  attributes.set(key, readKeyValue(reader, start, end))
}

/** The attributes, field `attributesTag`, of a message that lies in one or more ranges of bytes. */
export function readAttributes(
  reader: WireReader,
  ranges: readonly { readonly start: number; readonly end: number }[],
  attributesTag: number,
): Attributes {
  const attributes = new Map<string, AttributeValue>()
  for (const { start, end } of ranges) {
    reader.at = start
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag === attributesTag) {
        const blockEnd = reader.block(end)
        readAttribute(reader, reader.at, blockEnd, attributes)
        reader.at = blockEnd
      } else reader.skip(tag, end)
    }
  }
  return attributes
}

function isMap(value: Growing): value is { [key: string]: AttributeValue } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  )
}

// A plain assignment to this one name would change the prototype instead of adding a key.
function setOwn(map: { [key: string]: AttributeValue }, key: string, value: AttributeValue): void {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true })
  else map[key] = value
}
