import type { FieldKind, MessageShape } from './json-shapes.ts'
import type { WireWriter } from './wire-writer.ts'

/** A value of the wrong type or out of range; the message says what is expected. */
export class JsonFault extends Error {}

/** Writes a field that is not a message; throws a JsonFault when the value cannot be one. */
export function writeScalar(
  writer: WireWriter,
  number: number,
  kind: Exclude<FieldKind, MessageShape>,
  value: unknown,
): void {
  switch (kind) {
    case 'string':
      writer.string(number, text(value, 'a string'))
      return
    case 'bool':
      if (typeof value !== 'boolean') throw new JsonFault('must be true or false')
      writer.bool(number, value)
      return
    case 'int64':
      writer.varint(number, integer(value, -(2n ** 63n), 2n ** 63n - 1n))
      return
    case 'uint32':
      writer.varint(number, integer(value, 0n, 2n ** 32n - 1n))
      return
    case 'fixed32':
      writer.fixed32(number, Number(integer(value, 0n, 2n ** 32n - 1n)))
      return
    case 'fixed64':
      writer.fixed64(number, integer(value, 0n, 2n ** 64n - 1n))
      return
    case 'double':
      writer.double(number, double(value))
      return
    case 'bytes':
      writer.bytes(number, base64(text(value, 'base64')))
      return
    case 'id':
      writer.bytes(number, hex(text(value, 'hex digits')))
      return
    default:
      writer.varint(number, enumNumber(value, kind))
  }
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new JsonFault(`must be ${what}`)
  return value
}

/** A whole number, as a number or as decimal digits. */
function integer(value: unknown, least: bigint, most: bigint): bigint {
  const whole = wholeNumber(value)
  if (whole === undefined) throw new JsonFault('must be a whole number')
  if (whole < least || whole > most) throw new JsonFault(`must be between ${least} and ${most}`)
  return whole
}

function wholeNumber(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  // More than 20 digits are out of every range, and parsing a million of them would take long.
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined
}

function double(value: unknown): number {
  if (typeof value === 'number') return value
  if (value === 'NaN') return Number.NaN
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  if (Number.isNaN(number)) throw new JsonFault('must be a number')
  return number
}

/** Standard or URL-safe base64, padded or not. */
function base64(value: string): Buffer {
  if (!/^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/.test(value)) throw new JsonFault('must be base64')
  return Buffer.from(value, 'base64')
}

function hex(value: string): Buffer {
  if (value.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(value)) throw new JsonFault('must be hex digits')
  return Buffer.from(value, 'hex')
}

/** An enum is its number; its name is against the OTLP specification, but understood. */
function enumNumber(value: unknown, names: readonly string[]): bigint {
  if (typeof value !== 'string' || /^-?\d+$/.test(value)) return integer(value, -(2n ** 31n), 2n ** 31n - 1n)
  const number = names.indexOf(value)
  if (number < 0) throw new JsonFault(`must be a whole number or one of ${names.join(', ')}`)
  return BigInt(number)
}
