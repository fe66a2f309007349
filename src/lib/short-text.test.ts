import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortText } from './short-text.ts'

test('puts a text into one line and cuts it at a character', () => {
  assert.equal(shortText('  two\n\t words ', 20), 'two words')
  assert.equal(shortText('exactly', 7), 'exactly')
  assert.equal(shortText('a bit more', 7), 'a bit …')
  assert.equal(shortText('👋👋👋👋', 4), '👋👋👋👋')
  assert.equal(shortText('👋👋👋👋👋', 4), '👋👋👋…')
  assert.equal(shortText(`a${' '.repeat(1_000)}b`, 10), 'a…')
})
