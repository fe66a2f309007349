/**
 * The length of the key, or -1, of a KeyValue laid out the way every encoder lays it out: a key of less than 128 bytes
 * two bytes after `start`, then a value that holds one string, number or boolean and nothing else, up to `end`. This only
 * makes the scan half again as fast: whatever is laid out in another way takes the long road, which accepts the same.
 */
export function simpleKeyLength(bytes: Buffer, start: number, end: number): number {
  if (end - start < 6 || bytes[start] !== 0x0a) return -1
  const keyLength = bytes[start + 1] as number
  // Where the tag of the value is. At least its length, the tag in it and one more byte must follow.
  const valueTag = start + 2 + keyLength
  if (keyLength > 0x7f || valueTag + 3 >= end || bytes[valueTag] !== 0x12) return -1
  const inside = simpleBlock(bytes, valueTag + 1, end)
  if (inside < 0) return -1
  switch (bytes[inside]) {
    case 0x0a: // string
      return simpleBlock(bytes, inside + 1, end) < 0 ? -1 : keyLength
    case 0x21: // double
      return inside + 9 === end ? keyLength : -1
    case 0x10: // bool
    case 0x18: // int
      return isVarint(bytes, inside + 1, end) ? keyLength : -1
    default:
      return -1
  }
}

/** Where the content of a block starts whose length is at `at` and which ends at `end`; -1 if it does not end there. */
function simpleBlock(bytes: Buffer, at: number, end: number): number {
  if (at >= end) return -1
  const first = bytes[at] as number
  if (first < 0x80) return at + 1 + first === end ? at + 1 : -1
  if (at + 1 >= end) return -1
  const second = bytes[at + 1] as number
  if (second > 0x7f) return -1
  return at + 2 + (first & 0x7f) + (second << 7) === end ? at + 2 : -1
}

function isVarint(bytes: Buffer, at: number, end: number): boolean {
  const last = end - 1
  if (last < at || last - at > 9 || (bytes[last] as number) > 0x7f) return false
  for (let byte = at; byte < last; byte++) if ((bytes[byte] as number) < 0x80) return false
  return true
}
