// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholder syntax looks like a template but is plain text.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { placeholderRegex } from './placeholder-regex.ts'

function isValid(input: object, config: object = {}): unknown {
  return placeholderRegex.evaluate?.({
    input: placeholderRegex.input.parse(input),
    config: placeholderRegex.config.parse(config),
  })
}

for (const example of placeholderRegex.examples) {
  test(example.name, () => {
    assert.deepEqual(isValid(example.input, example.config), example.output)
  })
}

describe('the placeholder', () => {
  const cases: readonly (readonly [why: string, value: string, text: string, expected: boolean])[] = [
    ['stands for text that is not empty', 'Hello ${name}', 'Hello ', false],
    ['stands for one character', '^Hello ${name}!$', 'Hello J!', true],
    ['reaches over line breaks', '^Dear ${name}, bye$', 'Dear\n', false],
    ['reaches over line breaks whatever the flags say', '^Dear ${name}bye$', 'Dear John\nDoe\nbye', true],
    ['may stand there twice, for different texts', '^${name} and ${name}$', 'Ann and Bob', true],
    ['may stand at the start', '^${name}: hi', ': hi', false],
    ['takes a quantifier as one thing', '^Hello( ${name})?$', 'Hello', true],
    ['leaves the numbers of groups as they are', '^(\\w)${name}\\1$', 'abca', true],
    ['keeps its surroundings a pattern', '^\\d+ ${name} (USD|EUR)$', '5 whole EUR', true],
    ['is plain text when its dollar is escaped', '^\\${name}$', '${name}', true],
    ['is plain text when its dollar is escaped, and no hole', '^\\${name}$', 'John', false],
    ['is not hidden by an escaped backslash', '^\\\\${name}$', '\\John', true],
    ['is a set of characters in a class', '^[${name}]+$', '{name}$', true],
    ['is a set of characters in a class, and no hole', '^[]${name}]+$', 'John', false],
    ['comes after a class that holds a bracket', '^[[]${name}$', '[John', true],
    ['is not looked for in a comment', '^a(?#${name})b$', 'ab', true],
    ['of another name is not filled', '^${other}', 'John', false],
  ]
  for (const [why, value, text, expected] of cases) {
    test(why, () => {
      const input = { placeholder_name: 'name', placeholder_value: value, text }
      assert.deepEqual(isValid(input), { is_valid_regex: expected })
    })
  }

  test('has a name that is taken literally', () => {
    const input = { placeholder_name: 'a.b*', placeholder_value: '^<${a.b*}>$', text: '<x>' }
    assert.deepEqual(isValid(input), { is_valid_regex: true })
  })
})

test('the flags apply to the pattern around the placeholder', () => {
  const input = { placeholder_name: 'name', placeholder_value: '^hello ${name}$', text: 'Hi\nHELLO Bob' }
  assert.deepEqual(isValid(input), { is_valid_regex: false })
  assert.deepEqual(isValid(input, { case_sensitive: false, multi_line: true }), { is_valid_regex: true })
})

test('errors name the field that holds the pattern', () => {
  assert.throws(() => isValid({ placeholder_name: 'n', placeholder_value: '(${n}', text: '' }), {
    name: 'PublicError',
    message:
      'invalid input: input.placeholder_value is not a valid regular expression: missing ), unterminated subpattern at position 0',
  })
  const runaway = { placeholder_name: 'n', placeholder_value: '^(?=a)(a+)+$', text: `${'a'.repeat(40)}b` }
  assert.throws(() => isValid(runaway), {
    message: 'invalid input: input.placeholder_value took longer than 200 ms on this text',
  })
})

test('a value that is far too long is refused without looking for placeholders', () => {
  const input = { placeholder_name: '${'.repeat(100_000), placeholder_value: '${'.repeat(500_000), text: '' }
  assert.throws(() => isValid(input), /longer than 10000 characters/)
})
