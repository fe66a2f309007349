import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countCodePoints, countWords } from './count-text.ts'

test('counts code points, not UTF-16 units and not graphemes', () => {
  for (const [text, count] of [
    ['', 0],
    ['hi 👋', 4],
    ['e\u0301', 2],
    ['👨‍👩‍👧', 5],
    ['\ud83d', 1],
    ['\udc4b\ud83d', 2],
    [' a \n', 4],
  ] as const) {
    assert.equal(countCodePoints(text), count, JSON.stringify(text))
  }
})

test('agrees with the iteration of the language on any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => countCodePoints(text) === [...text].length))
})

test('splits words at Unicode white space and nowhere else', () => {
  for (const [text, count] of [
    ['', 0],
    [' \t\n', 0],
    ['one', 1],
    [' one  two\nthree ', 3],
    ['a\u00a0b\u3000c\u2028d\u0085e', 5],
    ['a\u200bb', 1], // A zero-width space is not white space.
    ['a\ufeffb', 1], // Nor is a byte order mark, though JavaScript's \s says so.
    ['a\u001cb', 2],
    ['日本語 テキスト', 2],
    ["don't well-known", 2],
  ] as const) {
    assert.equal(countWords(text), count, JSON.stringify(text))
  }
})
