import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { compileSafeExtractor } from './extract.ts'
import { RegexSyntaxError, RegexTimeout } from './safe-regex.ts'

/**
 * The results of Python 3.11.7 for `re.search(pattern, text)`: `group(1)` where the pattern has a group, else
 * `group(0)`; undefined for None. Made by running Python, so that the tests need none. Add rows the same way, never
 * by thinking.
 */
const PYTHON_CASES: readonly (readonly [pattern: string, text: string, expected: string | undefined])[] = [
  ['b+', 'abbbc', 'bbb'],
  ['b+?', 'abbbc', 'b'],
  ['x', 'abc', undefined],
  ['', 'abc', ''],
  ['id=(\\d+)', 'id=42 id=43', '42'],
  ['(?:id|no)=(\\d+);(\\w+)', 'no=7;x', '7'],
  ['(?P<city>\\w+) is', 'Oslo is wet', 'Oslo'],
  ['a(b)?c', 'ac', undefined],
  ['(a)|b', 'b', undefined],
  ['(a|ab)(c|bcd)', 'abcd', 'a'],
  ['"(.*)"', 'say "a" and "b"', 'a" and "b'],
  ['"(.*?)"', 'say "a" and "b"', 'a'],
  ['^(.*)$', 'one line\n', 'one line'],
  ['(.*)$', 'one\ntwo\n', 'two'],
  ['(?s)(.*)$', 'one\ntwo\n', 'one\ntwo\n'],
  ['(?s)(.*?)$', 'one\n', 'one'],
  ['(\\s*?)$', 'a\n', ''],
  ['(\\s*)$', 'a\n', '\n'],
  ['a$', 'a\n', 'a'],
  ['\\n?$', 'a\n', '\n'],
  ['(?m)^(\\w+)$', 'one two\nthree\n', 'three'],
  ['(a$|b)', 'b a\n', 'b'],
  ['(a*)', 'baaa', ''],
  ['(?:(a)|b)*', 'ab', 'a'],
  ['((a)b)+', 'abab', 'ab'],
  ['(👋+)é', 'x👋👋é', '👋👋'],
  ['.(é)', 'aé', 'é'],
  ['(?i)(OSLO)', 'in Oslo', 'Oslo'],
  ['(\\w+)', 'été 1', 'été'],
  ['\\b(\\w+)\\b', '– été –', 'été'],
  ['(?<=: )(\\w+)', 'answer: yes', 'yes'],
  ['(\\w)\\1', 'hello', 'l'],
  ['(?=(b+))', 'abbc', 'bb'],
  ['x(?!y)(.)', 'xyxz', 'z'],
  ['(?>a+)(b)', 'aab', 'b'],
  ['a++(b)', 'aab', 'b'],
  ['\\B', '', undefined],
  ['\\B', 'a', undefined],
  ['\\B(a)', 'ba', 'a'],
]

for (const [pattern, text, expected] of PYTHON_CASES) {
  test(`takes ${JSON.stringify(expected)} out of ${JSON.stringify(text)} with ${pattern}`, () => {
    assert.equal(compileSafeExtractor(pattern)(text), expected)
  })
}

test('says at once what is wrong with a pattern', () => {
  assert.throws(() => compileSafeExtractor('('), RegexSyntaxError)
  assert.throws(() => compileSafeExtractor('a'.repeat(10_001)), /longer than 10000 characters/)
})

test('takes time in proportion to the text where backtracking would never end', async () => {
  const extract = compileSafeExtractor('^((?:a+)+)b$')
  const look = (length: number) => () => {
    assert.equal(extract(`${'a'.repeat(length)}c`), undefined)
    assert.equal(extract(`${'a'.repeat(length)}b`)?.length, length)
  }
  await assertGrowth(look(320), look(20_480), { factor: 64 })
})

test('is cut off where it has to backtrack without end, and can be used again', () => {
  const extract = compileSafeExtractor('(?=a)((?:a+)+)$')
  assert.throws(() => extract(`${'a'.repeat(40)}c`), RegexTimeout)
  assert.equal(extract('aaa'), 'aaa')
})
