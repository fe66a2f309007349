import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOn, hasPlaceholderPart, isPlaceholder, isTemplate } from './placeholders.ts'

test('knows what is filled in later', () => {
  const dollar = [
    ['$', '{DB_PASSWORD}'].join(''),
    '$DB_PASSWORD',
    '$(cat file)',
    '$user:$pass',
    '$opt{password}',
    '$this->key',
  ]
  const others = [
    '{{ password }}',
    '{password}',
    '<password>',
    '[password]',
    '%PASSWORD%',
    '%s',
    '#{pw}',
    '@pw@',
    '__PW__',
    '<%= pw %>',
  ]
  for (const value of [...dollar, ...others]) {
    assert.equal(isTemplate(value), true, value)
    assert.equal(isPlaceholder(value), true, value)
  }
  for (const value of ['pa$$word9', 'a{b}c9', 'x<y9', '100%sure9'.replace('%s', '%S')])
    assert.equal(isTemplate(value), false, value)
})

test('knows words that stand for a value', () => {
  for (const value of [
    ...[
      'password',
      'Passw0rd',
      'P@ssw0rd',
      'p455w0rd',
      'my-secret',
      'test1234',
      'changeme',
      'your-token-here',
      'dbPassword1',
    ],
    ...[
      'EXAMPLEKEY',
      'xxxxxxxx',
      '********',
      '....',
      'REDACTED',
      'replace-this',
      'notARealKey',
      'foobar',
      'mongopass',
      '<hidden>',
    ],
  ]) {
    assert.equal(isPlaceholder(value), true, value)
  }
})

test('leaves chosen and random values alone', () => {
  for (const value of [
    'hunter2',
    'Winter2024!',
    'kD8-sLq0x',
    'correct-horse-9',
    'qX7$kd02',
    '9f86d081884c7d65',
  ]) {
    assert.equal(isPlaceholder(value), false, value)
  }
})

test('knows values that count', () => {
  for (const value of ['abcdefg', '1234567', '7654321', '890123456', 'K9ABCDEFGH2', 'x0123456789abcdef'])
    assert.equal(countsOn(value), true, value)
  for (const value of ['abcdef', '123456', 'a1b2c3d4e5', 'abcd1234abcd1234'])
    assert.equal(countsOn(value), false, value)
  for (const value of ['abc123', '123456', 'aaaaaa', 'abcd1234'])
    assert.equal(isPlaceholder(value), true, value)
})

test('a placeholder may stand anywhere in a token', () => {
  assert.equal(hasPlaceholderPart('k3J9x2QEXAMPLE7Wz4'), true)
  assert.equal(hasPlaceholderPart('k3J9x2Qm7Wz4Vb8Nc1'), false)
})
