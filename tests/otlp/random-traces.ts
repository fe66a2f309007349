import { WireWriter } from '../../src/lib/otlp/wire-writer.ts'

/** A pseudo-random number generator with a seed, so that a failure can be repeated (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * limit)
  }

  chance(oneIn: number): boolean {
    return this.below(oneIn) === 0
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }
}

type Field = (writer: WireWriter) => void

const TEXTS = ['', 'a', 'gen_ai.system', 'openai', 'größer', '👋 hello', '__proto__', 'x'.repeat(200), '0']
const INTEGERS = [
  0n,
  1n,
  -1n,
  127n,
  128n,
  4096n,
  2n ** 31n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
]
const DOUBLES = [0, -0, 0.7, 1e300, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]

/**
 * A request that is valid protobuf but that no encoder would write: fields in any order, missing, repeated, split into
 * several parts that must be merged, of an unknown number, or of another wire type than they should have.
 */
export function randomRequest(random: Random): Buffer {
  const writer = new WireWriter()
  message(random, writer, repeat(random, 1, 2, 1, resourceSpans))
  return writer.finish()
}

/** Writes the fields in random order, some of them twice, with unknown ones between. */
function message(random: Random, writer: WireWriter, fields: Field[]): void {
  const all = fields.flatMap((field) => (random.chance(12) ? [field, field] : [field]))
  while (random.chance(4)) all.push(unknownField(random))
  if (random.chance(3)) all.sort(() => random.below(3) - 1)
  for (const field of all) field(writer)
}

function repeat(
  random: Random,
  least: number,
  most: number,
  number: number,
  fields: (random: Random) => Field[],
): Field[] {
  return Array.from({ length: least + random.below(most - least + 1) }, () => sub(random, number, fields))
}

function sub(random: Random, number: number, fields: (random: Random) => Field[]): Field {
  return (writer) => writer.message(number, () => message(random, writer, fields(random)))
}

function resourceSpans(random: Random): Field[] {
  const resource = repeat(random, 0, 2, 1, (r) => attributes(r, 1))
  return [...resource, ...repeat(random, 1, 2, 2, scopeSpans)]
}

function scopeSpans(random: Random): Field[] {
  const scope = repeat(random, 0, 2, 1, (r) => [text(r, 1), text(r, 2), ...attributes(r, 3)])
  return [...scope, ...repeat(random, 0, 3, 2, span)]
}

function span(random: Random): Field[] {
  const fields = [
    id(random, 1, 16),
    id(random, 2, 8),
    text(random, 5),
    ...attributes(random, 9),
    ...repeat(random, 0, 2, 11, (r) => [text(r, 2), time(r, 1), ...attributes(r, 3)]),
    ...repeat(random, 0, 1, 13, (r) => [id(r, 1, 16), id(r, 2, 8), ...attributes(r, 4)]),
    ...repeat(random, 0, 2, 15, (r) => r.pick([[text(r, 2)], [integer(r, 3)], [text(r, 2), integer(r, 3)]])),
  ]
  if (random.chance(2)) fields.push(id(random, 4, random.chance(8) ? 0 : 8), text(random, 3))
  if (random.chance(2)) fields.push(time(random, 7), time(random, 8), integer(random, 6))
  return fields
}

function id(random: Random, number: number, length: number): Field {
  const actual = random.chance(40) ? random.below(20) : length
  const fill = random.chance(40) ? 0 : 1 + random.below(255)
  return (writer) => writer.bytes(number, Buffer.alloc(actual, fill))
}

function text(random: Random, number: number): Field {
  const value = random.pick(TEXTS)
  return (writer) => writer.string(number, value)
}

function integer(random: Random, number: number): Field {
  const value = random.pick(INTEGERS)
  return (writer) => writer.varint(number, value)
}

function time(random: Random, number: number): Field {
  const value = random.pick([0n, 1n, 1_700_000_000_000_000_000n, 2n ** 64n - 1n])
  return (writer) => writer.fixed64(number, value)
}

function attributes(random: Random, number: number): Field[] {
  return repeat(random, 0, 4, number, keyValue)
}

function keyValue(random: Random): Field[] {
  // Parts of one value are of one kind: what happens to an array, then a text, then an array has a test of its own.
  const kind = random.below(8)
  return [text(random, 1), ...repeat(random, 0, 2, 2, (r) => value(r, kind, 0))]
}

function value(random: Random, kind: number, depth: number): Field[] {
  switch (kind) {
    case 0:
      return [text(random, 1), ...(random.chance(5) ? [integer(random, 3)] : [])]
    case 1:
      return [integer(random, 2)]
    case 2:
      return [integer(random, 3)]
    case 3: {
      const double = random.pick(DOUBLES)
      return [(writer) => writer.double(4, double)]
    }
    case 4:
      return [(writer) => writer.bytes(7, Buffer.from([0, 255, 128, 10]))]
    case 5:
    case 6: {
      if (depth > 3) return []
      const element = (r: Random) => value(r, r.below(8), depth + 1)
      const member = (r: Random) => [text(r, 1), sub(r, 2, element)]
      return [sub(random, kind, (r) => repeat(r, 0, 3, 1, kind === 5 ? element : member))]
    }
    default:
      return []
  }
}

/** A field that no definition knows, or a known number with a wire type that it does not have. */
function unknownField(random: Random): Field {
  const number = random.pick([1, 2, 3, 6, 9, 17, 100, 536_870_911])
  const kind = random.below(4)
  if (number > 16 || kind === 3) {
    const big = number > 16 ? number : 1000
    return random.pick<Field>([
      (writer) => writer.varint(big, random.pick(INTEGERS)),
      (writer) => writer.fixed32(big, random.below(1000)),
      (writer) => writer.double(big, 1.5),
      (writer) => writer.string(big, random.pick(TEXTS)),
      (writer) => writer.raw(group(random, big, 0)),
    ])
  }
  // Nothing that an OTLP message has under these numbers is a 32-bit number or a group.
  return kind === 0 ? (writer) => writer.raw(group(random, number, 0)) : (writer) => writer.fixed32(number, 7)
}

function group(random: Random, number: number, depth: number): Buffer {
  const writer = new WireWriter()
  if (random.chance(2)) writer.varint(5, 300)
  if (random.chance(2)) writer.string(6, 'inside')
  if (depth < 3 && random.chance(2)) writer.raw(group(random, 7, depth + 1))
  return Buffer.concat([varint(number * 8 + 3), writer.finish(), varint(number * 8 + 4)])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  bytes.push(rest)
  return Buffer.from(bytes)
}

/** The same bytes with some damage: flipped bits, a part cut out, a part repeated, the end missing. */
export function damaged(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const at = random.below(copy.length + 1)
  switch (random.below(5)) {
    case 0:
      return copy.subarray(0, at)
    case 1: {
      const length = random.below(6)
      return Buffer.concat([copy.subarray(0, at), copy.subarray(at + length)])
    }
    case 2: {
      const length = random.below(20)
      return Buffer.concat([copy.subarray(0, at + length), copy.subarray(at)])
    }
    default:
      for (let flips = 1 + random.below(3); flips > 0 && copy.length > 0; flips--) {
        const byte = random.below(copy.length)
        copy[byte] = (copy[byte] as number) ^ (1 << random.below(8))
      }
      return copy
  }
}
