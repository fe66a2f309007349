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
import { answerRelevancy } from './answer-relevancy.ts'
import { askAboutRelevancy } from './ask-judge.ts'
import { looksRelevant } from './embedded-judge.ts'

const question = 'What is the capital of Norway?'

testEmbeddedExamples(answerRelevancy)

describe('with a judge', () => {
  /** Labels a statement by the word it begins with. */
  function judgeByFirstWord(): ScriptedJudge {
    const verdicts: Record<string, string> = { Oslo: 'answers', It: 'helps', Nobody: 'evades' }
    return new ScriptedJudge({
      'answer-relevancy/statements': oneStatementPerSentence,
      'answer-relevancy/relevance': verdictsBy((text) => [
        verdicts[text.split(' ')[0] ?? ''] ?? 'off_topic',
        text,
      ]),
    })
  }

  for (const [answer, expected, why] of [
    ['Oslo is the capital.', true, 'it answers'],
    ['Oslo is the capital. Bread is baked. It has a fjord.', true, 'most of it has to do with the question'],
    ['Oslo is it. Bread is baked. Milk is white.', false, 'most of it is off the topic'],
    ['It has a fjord.', false, 'nothing answers'],
    ['Nobody can say.', false, 'it evades'],
    ['Bread is baked.', false, 'it is about something else'],
  ] as const) {
    test(`"${answer}" is ${expected}: ${why}`, async () => {
      assert.equal(await askAboutRelevancy(judgeByFirstWord(), { answer, question }), expected)
    })
  }

  test('an answer that gives none is not relevant, and nobody is asked', async () => {
    for (const answer of ['', "I don't know.", "I'm sorry, I cannot answer that."])
      assert.equal(await askAboutRelevancy(silentJudge(), { answer, question }), false)
  })

  test('an answer in one word is judged', async () => {
    assert.equal(await askAboutRelevancy(judgeByFirstWord(), { answer: 'Oslo', question }), true)
  })

  test('an answer without a statement is not relevant', async () => {
    const judge = new ScriptedJudge({
      'answer-relevancy/statements': ({ items }) => ({
        sentences: items.map(({ id }) => ({ id, statements: [] })),
      }),
    })
    assert.equal(await askAboutRelevancy(judge, { answer: 'Hello!', question }), false)
  })

  test('statements that answer without a quote of theirs are not believed', async () => {
    const judge = new ScriptedJudge({
      'answer-relevancy/statements': oneStatementPerSentence,
      'answer-relevancy/relevance': verdictsBy(() => ['answers', 'Oslo']),
    })
    assert.equal(await askAboutRelevancy(judge, { answer: 'Bread is baked.', question }), false)
  })

  test('no verdict is never a verdict', async () => {
    const judge = new ScriptedJudge({
      'answer-relevancy/statements': () => {
        throw new NoVerdict('deadline', 'too late')
      },
    })
    await assert.rejects(askAboutRelevancy(judge, { answer: 'Oslo', question }), NoVerdict)
  })
})

describe('without a judge', () => {
  for (const [asked, answer, expected] of [
    ['In which year was the museum built?', 'It was built in 1887.', true],
    ['Who presented the nature documentary series?', '1975', false],
    ['What instrument does she play?', 'The price of the car started at 58,850 francs.', false],
    ['When does the museum open?', 'I do not know.', false],
    ['When does the museum open?', '', false],
  ] as const) {
    test(`"${answer}" to "${asked}" is ${expected}`, () => {
      assert.equal(looksRelevant({ answer, question: asked }), expected)
    })
  }
})
