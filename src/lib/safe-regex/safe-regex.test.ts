import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertGrowth, processorMs } from '../../../tests/support/processor-time.ts'
import {
  BACKTRACKING_MS_MAX,
  compileSafeRegex,
  LINEAR_MS_MAX,
  PATTERN_CHARS_MAX,
  RegexSyntaxError,
  RegexTimeout,
} from './safe-regex.ts'
import { runWithLimit } from './time-limit.ts'

const python = (source: string) => compileSafeRegex(source, { dialect: 'python' })
const ecmascript = (source: string) => compileSafeRegex(source, { dialect: 'ecmascript' })

/** Runs something that is expected to be cut off, and says how much processor time it took. */
function msUntilTimeout(run: () => boolean): Promise<number> {
  return processorMs(() => assert.throws(run, RegexTimeout))
}

/** The total time of a pattern before it is cut off: on a busy machine it runs again, for half of its time at most. */
const CUT_OFF_MS_MAX = BACKTRACKING_MS_MAX * 8

describe('patterns that cannot run away', () => {
  test('nested quantifiers take linear time', async () => {
    const match = (length: number) => () => {
      const text = `${'a'.repeat(length)}b`
      assert.equal(python('^(a+)+$').test(text), false)
      assert.equal(python('^(a|aa)+$').test(text), false)
      assert.equal(python('^(a+)+$').test(`\u00e9${text}`), false)
      assert.equal(ecmascript('^(a+)+$').test(text), false)
    }
    await assertGrowth(match(800), match(51_200), { factor: 64 })
  })

  test('a pattern that needs backtracking is cut off at its limit', async () => {
    const ms = await msUntilTimeout(() => python('^(?=a)(a+)+$').test(`${'a'.repeat(40)}b`))
    assert.ok(ms > BACKTRACKING_MS_MAX * 0.4 && ms < CUT_OFF_MS_MAX, `${ms} ms`)
    const other = await msUntilTimeout(() => ecmascript('^(?=a)(a+)+$').test(`${'a'.repeat(40)}b`))
    assert.ok(other < CUT_OFF_MS_MAX, `${other} ms`)
  })

  test('a pattern that waits for the processor is not cut off', () => {
    const waiting = new Int32Array(new SharedArrayBuffer(4))
    let runs = 0
    // The watchdog ends the first two runs, which use no processor time.
    const isFound = runWithLimit(() => ++runs === 3 || Atomics.wait(waiting, 0, 0) === 'ok', 50)
    assert.deepEqual([isFound, runs], [true, 3])
  })

  test('a pattern that was cut off works on the next text', () => {
    const regex = python('^(?=a)(?:a+)+$')
    assert.throws(() => regex.test(`${'a'.repeat(40)}b`), {
      name: 'RegexTimeout',
      message: 'took longer than 200 ms on this text',
    })
    assert.equal(regex.test('aaa'), true)
  })

  test('repetitions of repetitions are neither written out nor run for long', async () => {
    for (const pattern of [
      '(a{1000}){1000}',
      '((a{100}){100}){100}',
      '(?:(?:a?){4000000000}){4000000000}b',
    ]) {
      const ms = await msUntilTimeout(() => python(pattern).test('a'.repeat(20_000)))
      assert.ok(ms < CUT_OFF_MS_MAX, `${pattern}: ${ms} ms`)
    }
    assert.equal(python('(a{1000}){1000}').test('aaa'), false)
    assert.equal(python('^(?:a{50}){50}$').test('a'.repeat(2500)), true)
  })

  test('a large program on a large text is cut off too, and works on the next', async () => {
    // As many states as characters: the text must not repeat itself.
    let seed = 1
    const letters = Array.from({ length: 200_000 }, () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      return seed & 0x10000 ? 'a' : 'b'
    })
    const regex = python('a.{900}[^ab]')
    const ms = await msUntilTimeout(() => regex.test(letters.join('')))
    assert.ok(ms < LINEAR_MS_MAX * 8, `${ms} ms`)
    assert.equal(regex.test(`${'a'.repeat(901)}c`), true)
  })

  test('thousands of classes of Unicode are refused, not compiled', () => {
    const regex = python('\\w'.repeat(5000))
    assert.equal(regex.test('a'.repeat(5000)), true)
    assert.throws(() => regex.test('\u00e9'.repeat(5000)), {
      name: 'RegexTimeout',
      message: 'needs too much memory on this text',
    })
  })
})

describe('patterns that are refused', () => {
  test('a bad pattern is reported before there is a text, with the place', () => {
    assert.throws(() => python('a**'), { name: 'RegexSyntaxError', message: 'multiple repeat at position 2' })
    assert.throws(() => python('(a'), { message: 'missing ), unterminated subpattern at position 0' })
    assert.throws(() => python('\u{1F600}[z-a]'), { message: 'bad character range at position 2' })
    assert.throws(() => python('(?<=a+)b'), RegexSyntaxError)
    assert.throws(() => ecmascript('(a'), { name: 'RegexSyntaxError', message: 'Unterminated group' })
    assert.throws(() => ecmascript('\\-'), { message: 'Invalid escape' })
  })

  test('a pattern that is too long or too deep is refused', () => {
    assert.throws(() => python('a'.repeat(PATTERN_CHARS_MAX + 1)), {
      name: 'RegexSyntaxError',
      message: 'longer than 10000 characters',
    })
    assert.equal(python('a'.repeat(PATTERN_CHARS_MAX)).test('a'), false)
    const deep = (depth: number) => '('.repeat(depth) + ')'.repeat(depth)
    assert.throws(() => python(deep(4000)), /nested more than 200 deep/)
    assert.equal(python(deep(150)).test(''), true)
    assert.equal(ecmascript(deep(4000)).test(''), true)
  })

  test('what Python can do and no engine here can is refused by name', () => {
    assert.throws(() => python('(a)?(?(1)b|c)'), /conditional groups/)
    assert.throws(() => python('(a)?\\1b'), /reference to group 1 where that group may not have taken part/)
    assert.throws(() => python('(?:(a)|b)\\1'), /may not have taken part/)
    assert.throws(() => python('(?<=(?>a))b'), /in a look-behind are not supported/)
    assert.throws(() => python('\\N{EM DASH}'), /names of characters/)
  })
})

describe('ECMAScript patterns', () => {
  const cases: readonly (readonly [pattern: string, text: string, expected: boolean])[] = [
    ['^\\d+$', '\u0663', false],
    ['^\\w$', '\u00e9', false],
    ['^\\s$', '\ufeff', true],
    ['^\\s$', '\u001c', false],
    ['a$', 'a\n', false],
    ['a.b', 'a\rb', false],
    ['a.b', 'a\u2028b', false],
    ['^.$', '\u{1F600}', true],
    ['^\\p{L}+$', '\u00e9t\u00e9', true],
    ['^\\p{Script=Greek}$', '\u03b1', true],
    ['^[\\p{Lu}\\P{L}]$', 'a', false],
    ['^\\uD83D\\uDE00$', '\u{1F600}', true],
    ['^\\u{1F600}{2}$', '\u{1F600}\u{1F600}', true],
    ['^[\\u{1F600}-\\u{1F64F}-]$', '-', true],
    ['[\\b]', '\b', true],
    ['^\\cA\\0\\x41\\/$', '\u0001\u0000A/', true],
    ['^[\\-\\]^]+$', '-]^', true],
    ['\\B', '', true],
    ['^(?:)$', '', true],
    ['[]', 'a', false],
    ['[^]', '\n', true],
    ['^(?<year>\\d{4})-(?:\\d{2})$', '2026-05', true],
    ['^(a)?\\1$', '', true],
    ['(?<=\\$)\\d+', 'costs $5', true],
    ['^(?!x)', 'xy', false],
    ['^(?i:A)$', 'a', true],
  ]

  test('mean what they mean with the flag u', () => {
    for (const [pattern, text, expected] of cases) {
      assert.equal(new RegExp(pattern, 'u').test(text), expected, `the row itself: ${pattern}`)
      assert.equal(ecmascript(pattern).test(text), expected, pattern)
    }
  })

  test('take the three flags', () => {
    const regex = (source: string, flag: object) =>
      compileSafeRegex(source, { dialect: 'ecmascript', ...flag })
    assert.equal(regex('\u00e9', { ignoreCase: true }).test('\u00c9'), true)
    assert.equal(regex('a.b', { dotAll: true }).test('a\u2028b'), true)
    assert.equal(regex('^b', { multiline: true }).test('a\u2028b'), true)
  })
})

test('compiled patterns are kept apart by flags and dialect, and the oldest are forgotten', () => {
  assert.equal(python('^a.b$').test('a\nb'), false)
  assert.equal(compileSafeRegex('^a.b$', { dialect: 'python', dotAll: true }).test('a\nb'), true)
  assert.equal(python('^a$').test('a\n'), true)
  assert.equal(ecmascript('^a$').test('a\n'), false)
  const first = python('kept')
  assert.equal(python('kept'), first)
  for (let index = 0; index < 60; index++) python(`filler ${index}`)
  assert.equal(python('kept'), first)
  for (let index = 0; index < 99; index++) python(`more filler ${index}`)
  assert.equal(python('kept'), first)
  for (let index = 0; index < 100; index++) python(`last filler ${index}`)
  assert.notEqual(python('kept'), first)
})
