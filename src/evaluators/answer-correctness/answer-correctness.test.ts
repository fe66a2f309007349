import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testEmbeddedExamples } from '../../../tests/support/embedded-examples.ts'
import {
  oneStatementPerSentence,
  ScriptedJudge,
  silentJudge,
  verdictsBy,
} from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { similarityOf } from '../local/meaning.ts'
import { isSameAnswer, isShortTruth } from './accepted-answers.ts'
import { answerCorrectness } from './answer-correctness.ts'
import { askAboutCorrectness } from './ask-judge.ts'
import { estimateCorrectness } from './embedded-judge.ts'
import { statementF1 } from './statement-f1.ts'

function input(completion: string, ground_truth: string, question = 'What is it?') {
  return { question, completion, ground_truth }
}

describe('what is equal beyond dispute', () => {
  for (const [completion, truth] of [
    ['oslo.', 'Oslo'],
    ['The answer is: the Easter Bunny', 'Easter bunny'],
    ['São Paulo', 'sao paulo'],
    ['Jeff Bezos', 'Seattle, Washington or Jeff Bezos'],
    ['cloves', 'Star anise|Cloves'],
    ['8 March 2018', 'March 8, 2018'],
    ['5000 m', '5 km'],
    ['twenty-one', '21'],
    ['$75,000', '75000 dollars'],
  ] as const) {
    test(`"${completion}" is "${truth}", and nobody is asked`, async () => {
      assert.equal(await askAboutCorrectness(silentJudge(), input(completion, truth)), 1)
      assert.equal(estimateCorrectness(input(completion, truth)), 1)
    })
  }

  test('more, less or other than that is not beyond dispute', () => {
    for (const [answer, accepted] of [
      ['Oslo, Norway', 'Oslo'],
      ['not Oslo', 'Oslo'],
      ['1999', '8 January 1999'],
      ['5 miles', '5 km'],
      ['', ''],
    ] as const)
      assert.equal(isSameAnswer(answer, accepted), false, answer)
  })

  test('an empty answer is wrong, and nobody is asked', async () => {
    assert.equal(await askAboutCorrectness(silentJudge(), input('  ', 'Oslo')), 0)
  })

  test('an empty truth is refused: nothing can be compared with it', async () => {
    const message = /invalid input: input.ground_truth must not be empty/
    await assert.rejects(askAboutCorrectness(silentJudge(), input('Oslo', ' ')), message)
    assert.throws(() => estimateCorrectness(input('Oslo', '')), message)
  })
})

test('texts that are too long to compare are refused and not cut', async () => {
  const message = /input.completion and input.ground_truth must have at most 51200 characters together/
  const long = input('x'.repeat(30_000), 'y'.repeat(30_000))
  await assert.rejects(askAboutCorrectness(silentJudge(), long), message)
  assert.throws(() => estimateCorrectness(long), message)
})

describe('a short truth', () => {
  const question = 'What is the capital of Norway?'

  test('is short in each of its alternatives', () => {
    assert.ok(isShortTruth('in northern Arizona or California or around the city of Los Angeles'))
    assert.ok(!isShortTruth('The museum is open from 10 to 17 on weekdays and from 11 to 16 at weekends.'))
  })

  for (const [verdict, score] of [
    ['equivalent', 1],
    ['different', 0],
    ['no_answer', 0],
  ] as const) {
    test(`a judge that says ${verdict} gives ${score}`, async () => {
      const judge = new ScriptedJudge({
        'answer-correctness/same-answer': verdictsBy(() => [verdict, 'Oslo']),
      })
      assert.equal(await askAboutCorrectness(judge, input('It is Oslo, of course.', 'Oslo', question)), score)
    })
  }

  test('a judge that finds the answer in words that are not there is not believed', async () => {
    const judge = new ScriptedJudge({
      'answer-correctness/same-answer': verdictsBy(() => ['equivalent', 'Oslo']),
    })
    assert.equal(await askAboutCorrectness(judge, input('It is Bergen.', 'Oslo', question)), 0)
    assert.equal(judge.asked.length, 2)
  })

  test('no verdict is never a score', async () => {
    const judge = new ScriptedJudge({
      'answer-correctness/same-answer': () => {
        throw new NoVerdict('unavailable', 'down')
      },
    })
    await assert.rejects(askAboutCorrectness(judge, input('Perhaps Oslo', 'Oslo')), NoVerdict)
  })

  for (const [completion, truth, expected] of [
    ['The capital of Norway is Oslo.', 'Oslo', true],
    ['The capital of Norway is Bergen.', 'Oslo', false],
    ['It aired in 1999 for the first time.', '8 January 1999 or 1999', true],
    ['It was released in November 2017.', 'November 17, 2017', true],
    ['It was released in November 2016.', 'November 17, 2017', false],
    ['It has 36 steps.', '36', true],
    ['It has 42 steps.', '36', false],
    ['Judith Keppel', 'Judith Cynthia Aline Keppel', true],
    ["I don't know.", 'Oslo', false],
  ] as const) {
    test(`without a judge "${completion}" is ${expected ? 'right' : 'wrong'} for "${truth}"`, () => {
      assert.equal(estimateCorrectness(input(completion, truth, question)) >= 0.5, expected)
    })
  }
})

describe('a long truth', () => {
  const truth =
    'The museum is open from 10 to 17 on weekdays. It is open from 11 to 16 at weekends. Entry is free for children.'
  const completion = 'The museum is open from 10 to 17 on weekdays. It has a café.'

  test('is three quarters the F1 of statements and one quarter similarity', async () => {
    const judge = new ScriptedJudge({
      'answer-correctness/statements': oneStatementPerSentence,
      'answer-correctness/verify': verdictsBy((text) =>
        text.includes('weekdays') ? ['supported', 'open from 10 to 17 on weekdays'] : ['not_mentioned'],
      ),
    })
    // One of two statements is right, one of three is covered: F1 0.4.
    const expected = Number((0.75 * 0.4 + 0.25 * similarityOf(completion, truth)).toFixed(4))
    assert.equal(await askAboutCorrectness(judge, input(completion, truth)), expected)
    assert.deepEqual(Object.keys(judge.notes), ['statements of the answer', 'statements of the truth'])
  })

  test('F1 is 0 without statements and 1 when all agree', () => {
    assert.equal(statementF1([], [true]), 0)
    assert.equal(statementF1([], []), 0)
    assert.equal(statementF1([true], [true, true]), 1)
  })

  test('without a judge a full answer scores above a partial one, and that above a wrong one', () => {
    const scores = [
      truth,
      completion,
      'The museum is closed for repairs until further notice, as far as we know.',
    ].map((text) => estimateCorrectness(input(text, `${truth} Dogs are not allowed.`)))
    assert.ok((scores[0] ?? 0) > (scores[1] ?? 0) && (scores[1] ?? 0) > (scores[2] ?? 0), String(scores))
  })
})

testEmbeddedExamples(answerCorrectness)
