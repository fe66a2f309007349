import { hashBytes } from './attribute-key.ts'
import type { WireReader } from './wire-reader.ts'

/** Longest text, in bytes, that is worth remembering: names, models and roles repeat, prompts do not. */
const SHARED_BYTES_MAX = 48
const SLOTS = 4096

// One text for each slot; a newer one takes the place of an older one. Only ASCII, whose characters are its bytes.
const texts: string[] = new Array(SLOTS).fill('')

/**
 * The text of a range of bytes. Bytes that are not UTF-8 become U+FFFD, as the OTLP specification recommends. Short
 * texts come out of a small cache: comparing is cheaper than decoding, and equal texts are one object.
 */
export function textAt(reader: WireReader, start: number, end: number): string {
  const length = end - start
  if (length > SHARED_BYTES_MAX) return reader.bytes.toString('utf8', start, end)
  if (length === 0) return ''
  const slot = hashBytes(reader.view, start, end) & (SLOTS - 1)
  const known = texts[slot] as string
  if (known.length === length && isText(known, reader.bytes, start)) return known
  const text = reader.bytes.toString('utf8', start, end)
  // As many characters as bytes means ASCII, or bytes that are not UTF-8, which never compare equal to U+FFFD.
  if (text.length === length) texts[slot] = text
  return text
}

function isText(text: string, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) !== bytes[start + at]) return false
  return true
}
