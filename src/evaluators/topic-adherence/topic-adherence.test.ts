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
import { askAboutTopics } from './ask-judge.ts'
import { estimateAdherence } from './embedded-judge.ts'
import { topicAdherence } from './topic-adherence.ts'

function input(completion: string, reference_topics = 'shipping, returns') {
  return { question: 'How do I return a parcel?', completion, reference_topics }
}

testEmbeddedExamples(topicAdherence)

describe('with a judge', () => {
  const split = { 'topic-adherence/statements': oneStatementPerSentence }

  test('the score is the share of the statements within a topic', async () => {
    const judge = new ScriptedJudge({
      ...split,
      'topic-adherence/within': verdictsBy((text) =>
        text.includes('parcel') ? ['within', 'Returns'] : ['outside'],
      ),
    })
    const answer = 'Send the parcel back. The home team wins. Keep the parcel closed. It will rain.'
    assert.equal(await askAboutTopics(judge, input(answer)), 0.5)
  })

  test('a topic that was not allowed does not count', async () => {
    const judge = new ScriptedJudge({
      ...split,
      'topic-adherence/within': verdictsBy(() => ['within', 'sports']),
    })
    assert.equal(await askAboutTopics(judge, input('The home team wins.')), 0)
  })

  test('an answer that states nothing leaves no topic', async () => {
    for (const answer of ['', "I don't know."])
      assert.equal(await askAboutTopics(silentJudge(), input(answer)), 1)
    const judge = new ScriptedJudge({
      'topic-adherence/statements': ({ items }) => ({
        sentences: items.map(({ id }) => ({ id, statements: [] })),
      }),
    })
    assert.equal(await askAboutTopics(judge, input('Hello!')), 1)
  })

  test('no verdict is never a score', async () => {
    const judge = new ScriptedJudge({
      ...split,
      'topic-adherence/within': () => {
        throw new NoVerdict('refused', 'no')
      },
    })
    await assert.rejects(askAboutTopics(judge, input('The home team wins.')), NoVerdict)
  })
})

test('topics that name nothing are refused', async () => {
  for (const topics of ['', ' , ;\n']) {
    const message = /invalid input: input.reference_topics must name at least one topic/
    await assert.rejects(askAboutTopics(silentJudge(), input('Send it back.', topics)), message)
    assert.throws(() => estimateAdherence(input('Send it back.', topics)), message)
  }
})

test('without a judge greetings do not count, other subjects do', () => {
  assert.equal(
    estimateAdherence(input('Hello! Returns are free within 30 days. The volcano erupted in 1883.')),
    0.5,
  )
  assert.equal(estimateAdherence(input('')), 1)
})
