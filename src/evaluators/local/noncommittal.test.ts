import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerTypeOf, typeFit } from './answer-type.ts'
import { isNoncommittal } from './noncommittal.ts'

test('an answer that only says it has none is noncommittal', () => {
  for (const text of [
    '',
    ' \n ',
    '...',
    "I don't know.",
    'I’m sorry, I do not have enough information to answer that.',
    "Sorry! I can't find that. Please let me know if you have more details.",
    'The document does not mention it.',
    'There is no mention of a museum in the text.',
    'Unknown',
  ])
    assert.ok(isNoncommittal(text), JSON.stringify(text))
})

test('an answer that commits itself in any sentence is not', () => {
  for (const text of [
    'Oslo',
    'no',
    'Nobody knows more about it than Oslo.',
    "I don't know the year. The capital is Oslo.",
    'It is not mentioned, but it can be inferred that he was a writer.',
    'The unknown soldier is buried there.',
  ])
    assert.ok(!isNoncommittal(text), JSON.stringify(text))
})

test('what a question asks for is compared with what an answer holds', () => {
  assert.equal(answerTypeOf('In which year was it built?'), 'date')
  assert.equal(answerTypeOf('How many people live there?'), 'number')
  assert.equal(answerTypeOf('Who wrote it?'), 'person')
  assert.equal(typeFit('In which year was it built?', 'In 1887.'), 1)
  assert.equal(typeFit('In which year was it built?', 'Clint Eastwood'), -1)
  assert.equal(typeFit('How many people live there?', 'About five million'), 1)
  assert.equal(typeFit('Who wrote it?', '1940'), -1)
  assert.equal(typeFit('Who wrote it?', 'Astrid Lindgren'), 0)
})
