import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneLine } from './one-line.ts'

test('a short text stays as it is, without line breaks and control characters', () => {
  assert.equal(oneLine('took too long', 20), 'took too long')
  assert.equal(oneLine(' a\r\n\tb\u0000\u001bc ', 20), 'a b c')
  assert.equal(oneLine('', 20), '')
})

test('a long text ends in an ellipsis, at most as long as allowed, with no half characters', () => {
  assert.equal(oneLine('abcdef', 6), 'abcdef')
  assert.equal(oneLine('abcdefg', 6), 'abcde…')
  assert.equal(oneLine('👋👋👋👋', 4), '👋👋👋👋')
  assert.equal(oneLine('👋👋👋👋', 3), '👋👋…')
  assert.equal(oneLine('👋'.repeat(1_000_000), 3), '👋👋…')
  assert.equal(oneLine(`a${' '.repeat(1_000)}b`, 10), 'a…')
})
