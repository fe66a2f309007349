import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longestSequence, looksRandom, regularShare, shapeOf } from './text-shape.ts'
import { wordShare } from './word-share.ts'

test('measures what a value is made of', () => {
  assert.deepEqual(shapeOf('aB3 é'), {
    ...{ length: 5, lower: 1, upper: 1, digits: 1, symbols: 2, spaces: 1 },
    ...{ entropy: Math.log2(5), changes: 3 },
  })
  assert.equal(shapeOf('aaaa').entropy, 0)
  assert.equal(shapeOf('Word').changes, 0)
  assert.equal(shapeOf('').length, 0)
})

test('tells random text from words', () => {
  for (const value of [
    'userPasswordField',
    'client-secret-name',
    'EndOfFileToken',
    'user1Password2Field3Name4',
    'EXTENDED_KEY_USAGE',
    'projects/demo/secrets',
  ]) {
    assert.ok(wordShare(value) > 0.6, value)
    assert.equal(looksRandom(value), false, value)
  }
  for (const value of [
    'k3J9x2Qm7Wz4Vb8N',
    '9f86d081884c7d659a2feaa0c55ad015',
    'XKQVPWZNRTBMHJQL',
    'qhzpxkvbnwmrtlcg',
    'uvcqhzxekbwpfjmi',
    'zR4u-7xA_DGKaP',
  ]) {
    assert.ok(wordShare(value) < 0.4, value)
    assert.equal(looksRandom(value), true, value)
  }
})

test('needs entropy for the alphabet and the length', () => {
  for (const value of [
    '1111111122222222',
    'aaaaaaaaaaaaaaa1',
    'abababababab1212',
    'k1k1k1k1k1k1k1k1',
    'k3J9',
    '1234567890123456',
  ]) {
    assert.equal(looksRandom(value), false, value)
  }
})

test('measures runs', () => {
  assert.equal(longestSequence('xABCDz'), 4)
  assert.equal(longestSequence('4321'), 4)
  assert.equal(longestSequence('789012'), 6)
  assert.equal(longestSequence('89abc'), 5)
  assert.equal(longestSequence('a-b-c'), 1)
  assert.equal(regularShare('abcd'), 1)
  assert.equal(regularShare('akak'), 0)
  assert.equal(regularShare('a'), 0)
})
