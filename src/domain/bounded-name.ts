import { createHash } from 'node:crypto'

/** Longest name that is kept as it is, in bytes of UTF-8. Two of them fit into one row of any index. */
const NAME_BYTES_MAX = 512
/** A character has at most so many bytes for each unit of a string's length. */
const BYTES_PER_UNIT_MAX = 3
const HASH_DIGITS = 64
const KEPT_BYTES = NAME_BYTES_MAX - HASH_DIGITS - 1

/**
 * A name that a span brings, such as that of a session, a service or a model, as it is stored and looked for: spans may bring
 * names of any length, and an index may not. Of a long one the beginning stays, and a hash of the whole tells it from others.
 */
export function boundedName(name: string): string {
  if (name.length * BYTES_PER_UNIT_MAX <= NAME_BYTES_MAX) return name
  const bytes = Buffer.from(name)
  if (bytes.length <= NAME_BYTES_MAX) return name
  const hash = createHash('sha256').update(bytes).digest('hex')
  return `${beginningOf(bytes)}#${hash}`
}

/** Whole characters only. */
function beginningOf(bytes: Buffer): string {
  let end = KEPT_BYTES
  while (isContinuation(bytes[end])) end--
  return bytes.toString('utf8', 0, end)
}

function isContinuation(byte = 0): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}
