import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { clausesOf } from './clauses.ts'
import { datesOf } from './dates.ts'
import { isNoncommittal } from './noncommittal.ts'
import { quantitiesOf } from './quantities.ts'
import { splitSentences } from './sentences.ts'
import { contentWords } from './words.ts'

test('abbreviations, initials and decimals do not end a sentence', () => {
  assert.deepEqual(splitSentences('Dr. B. R. Lee paid 3.5 dollars. He left the U.S. in May! Why?'), [
    'Dr. B. R. Lee paid 3.5 dollars.',
    'He left the U.S. in May!',
    'Why?',
  ])
})

test('lines and bullets are sentences of their own', () => {
  assert.deepEqual(splitSentences('Spices:\n- star anise\n2) cloves\n\n3. fennel'), [
    'Spices:',
    'star anise',
    'cloves',
    'fennel',
  ])
})

test('what has no letter and no digit is no sentence', () => {
  assert.deepEqual(splitSentences(' \n... --- !'), [])
})

test('a text without any end of sentence is cut, and nothing of it is lost', () => {
  const text = 'word '.repeat(1_000).trim()
  const sentences = splitSentences(text)
  assert.ok(sentences.length > 5)
  assert.equal(sentences.join(' '), text)
  assert.equal(splitSentences('x'.repeat(5_000)).join(''), 'x'.repeat(5_000))
})

test('clauses are cut where two longer parts are joined', () => {
  assert.deepEqual(clausesOf('It opens at ten and entry is free. He likes bread and butter.'), [
    'It opens at ten',
    'entry is free.',
    'He likes bread and butter.',
  ])
})

test('texts made to be slow are read in time in proportion to their length', async () => {
  for (const piece of [
    ' ',
    'Mr. ',
    'a. ',
    '1,111',
    ',111',
    'one ',
    '"',
    ').',
    'March 8 ',
    '1999 ',
    '-',
    '\n ',
    '. ',
  ]) {
    const read = (length: number) => {
      const text = `March 8${piece.repeat(length / piece.length)}x`
      return () => {
        splitSentences(text)
        quantitiesOf(text)
        datesOf(text)
        isNoncommittal(text)
        contentWords(text)
      }
    }
    await assertGrowth(read(6_250), read(400_000), { factor: 64 }, piece)
  }
})
