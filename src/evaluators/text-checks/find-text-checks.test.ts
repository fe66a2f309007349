import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { findTextChecks, meetsChecks } from './find-text-checks.ts'

const WORDS = (count: number) => Array.from({ length: count }, () => 'word').join(' ')

/** Instruction, a text that meets it, a text that does not. */
const DEMANDS: readonly (readonly [instruction: string, good: string, bad: string])[] = [
  ['Use at most 5 words.', WORDS(5), WORDS(6)],
  ['Use no more than five words.', WORDS(5), WORDS(6)],
  ['Do not use more than 5 words.', WORDS(5), WORDS(6)],
  ['Keep your answer under 5 words.', WORDS(4), WORDS(5)],
  ['Your response should contain at least 300 words.', WORDS(300), WORDS(299)],
  ['Answer in 10 words or less.', WORDS(10), WORDS(11)],
  ['Use between 20 and 30 words.', WORDS(25), WORDS(31)],
  ['Use about 100 words.', WORDS(110), WORDS(150)],
  ['Answer in exactly two sentences.', 'It rains. It pours.', 'It rains.'],
  ['Answer in a single paragraph.', 'One.\nStill one.', 'One.\n\nTwo.'],
  ['Use at most 100 characters.', 'x'.repeat(100), 'x'.repeat(101)],
  ['Use exactly 3 bullet points.', '- a\n- b\n- c', '- a\n- b'],
  ['Do not use any commas.', 'red and blue', 'red, blue'],
  ['No emojis please.', 'hello', 'hello 😀'],
  ['Answer without exclamation marks.', 'Yes.', 'Yes!'],
  ['Answer in lower case.', 'red', 'Red'],
  ['Reply in all capital letters.', 'RED', 'Red'],
  ['Respond in JSON format.', '{"a": 1}', 'a: 1'],
  ['Respond in JSON format.', '```json\n[1]\n```', 'Here it is: [1]'],
  ['Respond with a valid JSON object only.', '{}', '[]'],
  ['Use bullet points.', '* a\n* b', 'a and b'],
  ['Answer in a numbered list.', '1. a\n2. b', '- a\n- b'],
  ['Answer only with yes or no.', 'Yes.', 'Yes, because it is.'],
  ['Include the word "banana" at least 2 times.', 'banana Banana', 'banana bananas'],
  ['Include the words "sun" and "moon".', 'The sun and the moon.', 'The sun.'],
  ['Do not mention "price".', 'It is cheap.', 'The price is low.'],
  ['Avoid the word "very".', 'good', 'very good'],
  ['Answer without the letter "e".', 'A cat sat.', 'The cat.'],
  ['Start with "Dear Sir".', 'Dear Sir, hello.', 'Hello, dear Sir'],
  ['End your response with "Is there anything else?"', 'Done. Is there anything else?', 'Done.'],
  ['Answer in French.', 'Le chat est sur la table et il dort.', 'The cat is on the table and it sleeps.'],
  ['Answer in Japanese.', 'これは猫です', 'This is a cat'],
]

describe('demands that code verifies', () => {
  for (const [instruction, good, bad] of DEMANDS) {
    test(instruction, () => {
      const { checks, isWholly } = findTextChecks(instruction)
      assert.equal(isWholly, true, 'nothing of it is left over')
      assert.equal(meetsChecks(good, checks), true, `met by ${good.slice(0, 60)}`)
      assert.equal(meetsChecks(bad, checks), false, `not met by ${bad.slice(0, 60)}`)
    })
  }
})

describe('what is left to judgement', () => {
  const semantic = [
    'Write in the style of a pirate.',
    'Write a story with four characters.',
    'Tell me something about French history.',
    'Name two primary colours.',
    'Do not answer in lower case.',
    'Say it in other words.',
    'Mention the price.',
  ]
  for (const instruction of semantic)
    test(instruction, () => assert.deepEqual(findTextChecks(instruction).checks, []))

  test('a demand that stands beside others is verified but does not settle the instruction', () => {
    const { checks, isWholly } = findTextChecks('Write a 3-line poem about cats.')
    assert.equal(isWholly, false)
    assert.equal(meetsChecks('a\nb\nc', checks), true)
    assert.equal(meetsChecks('a\nb', checks), false)
  })

  test('the language of a single word stays open', () => {
    assert.equal(meetsChecks('Oslo', findTextChecks('Answer in French.').checks), undefined)
  })

  test('a keyword is data, not a demand', () => {
    const { checks } = findTextChecks('Include the phrase "in all capital letters".')
    assert.equal(checks.length, 1)
    assert.equal(meetsChecks('Not in all capital letters.', checks), true)
  })

  test('a keyword with signs of patterns is looked for as it stands', () => {
    const { checks } = findTextChecks('Mention "C++ (11-17)".')
    assert.equal(meetsChecks('I like C++ (11-17) best.', checks), true)
    assert.equal(meetsChecks('I like C+ 11-17.', checks), false)
  })
})

test('long instructions and long texts take time in proportion', async () => {
  for (const piece of ['use ', '"a" ', 'at most ', 'no ']) {
    const read = (length: number) => () => findTextChecks(piece.repeat(length / piece.length))
    await assertGrowth(read(1_250), read(80_000), { factor: 64 }, `instructions of ${piece}`)
    const { checks } = findTextChecks(piece.repeat(2_000 / piece.length))
    const check = (length: number) => () => meetsChecks('a, '.repeat(length), checks)
    await assertGrowth(check(1_600), check(102_400), { factor: 64 }, `checks of ${piece}`)
  }
})
