import { createHash } from 'node:crypto'

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const BECH32_GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const BECH32_CONSTANTS = [1, 0x2bc830a3]

/** How sure it is that a word is an address of a cryptocurrency; 0 when it is none. */
export function cryptoConfidence(word: string): number {
  if (word.length < 25 || word.length > 90) return 0
  if (/^0x[0-9a-fA-F]{40}$/.test(word)) return 0.9
  if (/^(?:bc1|tb1|ltc1)[a-z0-9]+$/i.test(word)) return passesBech32(word) ? 0.99 : 0
  // Bitcoin, Litecoin, Dogecoin, Tron, Ripple uses another alphabet and is not read.
  if (word.length <= 35 && /^[13LMDTA][1-9A-HJ-NP-Za-km-z]+$/.test(word))
    return passesBase58Check(word) ? 0.99 : 0
  return 0
}

/** Base58Check: the last four of 25 bytes are the beginning of the double SHA-256 of the others. */
export function passesBase58Check(word: string): boolean {
  let value = 0n
  for (const character of word) {
    const digit = BASE58.indexOf(character)
    if (digit < 0) return false
    value = value * 58n + BigInt(digit)
  }
  const hex = value.toString(16).padStart(50, '0')
  if (hex.length !== 50) return false
  const bytes = Buffer.from(hex, 'hex')
  return sha256(sha256(bytes.subarray(0, 21)))
    .subarray(0, 4)
    .equals(bytes.subarray(21))
}

/** Bech32 and Bech32m: a BCH code over the human-readable part and the data. */
export function passesBech32(word: string): boolean {
  if (word !== word.toLowerCase() && word !== word.toUpperCase()) return false
  const lower = word.toLowerCase()
  const separator = lower.lastIndexOf('1')
  const prefix = lower.slice(0, separator)
  const values = [...prefix].map((character) => character.charCodeAt(0) >> 5)
  values.push(0, ...[...prefix].map((character) => character.charCodeAt(0) & 31))
  for (const character of lower.slice(separator + 1)) {
    const value = BECH32.indexOf(character)
    if (value < 0) return false
    values.push(value)
  }
  return BECH32_CONSTANTS.includes(bech32Remainder(values))
}

function bech32Remainder(values: readonly number[]): number {
  let check = 1
  for (const value of values) {
    const top = check >>> 25
    check = ((check & 0x1ffffff) << 5) ^ value
    for (const [bit, generator] of BECH32_GENERATORS.entries()) if ((top >>> bit) & 1) check ^= generator
  }
  return check
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
