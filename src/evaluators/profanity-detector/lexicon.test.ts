import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadLexicon, parseLexicon, rot13 } from './lexicon.ts'
import { countsHere } from './word-context.ts'

test('braces stand for several words', () => {
  const { words } = parseLexicon('word: blo{,o}p{,s,ing}')
  assert.deepEqual([...words.keys()].sort(), ['bloop', 'blooping', 'bloops', 'blop', 'bloping', 'blops'])
})

test('comments and empty lines are skipped, anything else is refused', () => {
  assert.equal(parseLexicon('# a comment\n\nword: blop').words.size, 1)
  assert.throws(() => parseLexicon('words: blop'), /no kind/)
  assert.throws(() => parseLexicon('word: blop | not-nearby x'), /unknown condition: not-nearby/)
  assert.throws(() => parseLexicon('word: blop\nword: blop | only-after off'), /blop twice/)
})

test('a stem is found with its letters repeated, but not with fewer of them', () => {
  const { anywhere } = parseLexicon('anywhere: bloop')
  for (const text of ['bloop', 'aBLOOPer', 'bblloooopp']) assert.match(text, anywhere)
  for (const text of ['blop', 'bloo', 'boolp']) assert.doesNotMatch(text, anywhere)
})

/** Whether `blop` counts in a text, under the conditions. */
function counts(conditions: string, text: string): boolean {
  const start = text.toLowerCase().indexOf('blop')
  return countsHere(
    parseLexicon(`word: blop | ${conditions}`).words.get('blop') ?? [],
    text,
    start,
    start + 4,
  )
}

for (const [conditions, counted, passed] of [
  ['not-near garden', 'a blop in the house', 'a blop in the large old garden'],
  ['not-before big', 'a small blop', 'a big blop'],
  ['not-after of', 'blop on', 'blop of'],
  ['only-before what+the you', 'What the blop, you blop', 'where the blop is'],
  ['only-after off', 'blop off', 'blop on'],
  ['only-before you; not-after can', 'you blop', 'you blop can'],
  ['name', 'the Blop is', 'Mr. Blop is'],
  ['given', 'your Blop', 'Blop went home'],
  ['lower', 'a blop', 'the BLOP'],
  ['last', 'a blop.', 'a blop thing'],
  ['no-dot', 'a blop', 'file.blop'],
  ['no-hyphen', 'a blop-house', 'kitchen-blop-house'],
  ['foreign', 'you and the blop', 'ik weet niet blop het is'],
] as const) {
  test(`${conditions}: "${counted}" counts, "${passed}" does not`, () => {
    assert.equal(counts(conditions, counted), true)
    assert.equal(counts(conditions, passed), false)
  })
}

test('a word with two rules counts when one of them does', () => {
  const rules =
    parseLexicon('word: blop | only-before big\nword: blop | only-after off').words.get('blop') ?? []
  assert.equal(countsHere(rules, 'blop off', 0, 4), true)
  assert.equal(countsHere(rules, 'big blop', 4, 8), true)
  assert.equal(countsHere(rules, 'a blop on', 2, 6), false)
})

test('only words that are far enough from a name keep their meaning', () => {
  assert.equal(counts('not-near garden', `blop${' word'.repeat(12)} garden`), true)
})

test('the shipped lexicon can be read, and decoding it twice gives it back', () => {
  const { words, stems, disguised } = loadLexicon()
  assert.ok(words.size > 300 && stems.length > 20 && disguised.size > 50)
  // The meaning of three letters with one of them hidden cannot be told.
  for (const word of disguised) assert.ok(word.length >= 4)
  assert.equal(rot13(rot13('Hello, World')), 'Hello, World')
})
