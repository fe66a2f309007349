import type { Random } from '../otlp/random-traces.ts'

/** Texts that parsers, stores and pages have been known to stumble over. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202e\u2066abc',
  '\ufeff',
  '\uffff',
  'İıßſK',
  'e\u0301'.repeat(200),
  '👩‍👩‍👧‍👦'.repeat(50),
  '٣٤٥',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '0x10',
  '1_000',
  'null',
  'true',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "'; DROP TABLE setups; --",
  '" OR 1=1 --',
  '%',
  '%00',
  '%ff',
  '%_',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is what is hostile.
  '$1 ${7*7} {{7*7}} {{completion}}',
  '../../etc/passwd',
  '..\\..\\windows',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  '\r\nX-Injected: 1\r\n\r\n',
  '(a+)+$',
  '[',
  '\\',
  '{"a":',
  '9999-99-99T99:99:99Z',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '2026-01-01T00:00:00+99:99',
  'x'.repeat(256),
  'x'.repeat(4_097),
  'x'.repeat(70_000),
]

/** Numbers at and beyond the ends of what types can hold. */
export const HOSTILE_NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.1,
  1.5,
  -0.5,
  127,
  128,
  255,
  256,
  32_768,
  65_536,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  2 ** 64,
  -(2 ** 31) - 1,
  -(2 ** 63),
  1e21,
  1e308,
  -1e308,
  5e-324,
  253_402_300_800,
  8.64e15 + 1,
]

/** Any JSON value, most of them unwelcome. */
export function hostileValue(random: Random): unknown {
  switch (random.below(8)) {
    case 0:
      return random.pick(HOSTILE_NUMBERS)
    case 1:
      return random.pick<unknown>([null, true, false])
    case 2:
      return random.pick<unknown>([[], {}, [[]], [null], { '': '' }, [{}], { length: 1e9 }, { toString: 1 }])
    case 3:
      return nested(random.pick([2, 20, 200, 3_000]), random.chance(2))
    case 4:
      return Array.from({ length: random.pick([1, 101, 1_001, 5_000]) }, (_, at) => at)
    default:
      return random.pick(HOSTILE_TEXTS)
  }
}

function nested(depth: number, isList: boolean): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level++) value = isList ? [value] : { value }
  return value
}
