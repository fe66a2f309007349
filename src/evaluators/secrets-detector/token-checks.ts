import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECKSUM_CHARS = 6

/** True when the last six characters are the CRC-32 of those before, in base 62: tokens of GitHub and npm. */
export function hasBase62Checksum(body: string): boolean {
  const payload = body.slice(0, -CHECKSUM_CHARS)
  return base62(crc32(payload)).padStart(CHECKSUM_CHARS, '0') === body.slice(-CHECKSUM_CHARS)
}

function base62(value: number): string {
  let digits = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) digits = BASE62[rest % 62] + digits
  return digits
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const BECH32_GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

/** True when the text is right in Bech32, whose last six characters are a checksum: keys of age and Nostr. */
export function hasBech32Checksum(text: string): boolean {
  const lower = text.toLowerCase()
  const split = lower.lastIndexOf('1')
  const prefix = [...lower.slice(0, split)].map((character) => character.charCodeAt(0))
  const values = [...lower.slice(split + 1)].map((character) => BECH32.indexOf(character))
  let sum = 1
  for (const value of [
    ...prefix.map((code) => code >> 5),
    0,
    ...prefix.map((code) => code & 31),
    ...values,
  ]) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    for (const [bit, generator] of BECH32_GENERATORS.entries()) if ((top >> bit) & 1) sum ^= generator
  }
  return sum === 1 && !values.includes(-1)
}

/** The JSON object that a base64 or base64url text holds; undefined when it holds none. */
export function decodeJsonObject(encoded: string): Readonly<Record<string, unknown>> | undefined {
  try {
    // Bytes that are no UTF-8 are no JSON either.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}
