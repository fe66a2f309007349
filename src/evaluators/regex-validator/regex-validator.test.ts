import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { regexValidator } from './regex-validator.ts'

function isValid(text: string, config: object): unknown {
  return regexValidator.evaluate?.({
    input: regexValidator.input.parse({ text }),
    config: regexValidator.config.parse(config),
  })
}

const VALID = { is_valid_regex: true }
const NOT_VALID = { is_valid_regex: false }

for (const example of regexValidator.examples) {
  test(example.name, () => {
    assert.deepEqual(isValid(example.input.text, example.config ?? {}), example.output)
  })
}

test('without a pattern every text is valid, and none when it must not match', () => {
  assert.deepEqual(isValid('anything', {}), VALID)
  assert.deepEqual(isValid('', {}), VALID)
  assert.deepEqual(isValid('', { should_match: false }), NOT_VALID)
})

describe('the four flags', () => {
  const cases: readonly (readonly [text: string, config: object, expected: object])[] = [
    ['Yes', { regex: '^yes$' }, NOT_VALID],
    ['Yes', { regex: '^yes$', case_sensitive: false }, VALID],
    ['a\nb', { regex: 'a.b' }, NOT_VALID],
    ['a\nb', { regex: 'a.b', dot_include_nl: true }, VALID],
    ['a\nb', { regex: '^b' }, NOT_VALID],
    ['a\nb', { regex: '^b', multi_line: true }, VALID],
    ['no', { regex: 'yes', should_match: false }, VALID],
    ['A\nB', { regex: '^b$', should_match: false, case_sensitive: false, multi_line: true }, NOT_VALID],
  ]
  for (const [text, config, expected] of cases) {
    test(`${JSON.stringify(config)} on ${JSON.stringify(text)}`, () => {
      assert.deepEqual(isValid(text, config), expected)
    })
  }
})

test('a pattern may be one of Python', () => {
  assert.deepEqual(isValid('"x"', { regex: '(?P<quote>[\'"])x(?P=quote)' }), VALID)
  assert.deepEqual(isValid('yes\n', { regex: '(?i)^YES$' }), VALID)
  assert.deepEqual(isValid('yes\n', { regex: 'yes\\Z' }), NOT_VALID)
  assert.deepEqual(isValid('über', { regex: '^\\w+$' }), VALID)
})

test('a bad pattern is bad input that says why', () => {
  assert.throws(() => isValid('a', { regex: '*a' }), {
    name: 'PublicError',
    kind: 'invalid_input',
    message: 'invalid input: config.regex is not a valid regular expression: nothing to repeat at position 0',
  })
})

test('a pattern that runs away is bad input', () => {
  assert.throws(() => isValid(`${'a'.repeat(40)}b`, { regex: '^(?=a)(a+)+$' }), {
    name: 'PublicError',
    message: 'invalid input: config.regex took longer than 200 ms on this text',
  })
})
