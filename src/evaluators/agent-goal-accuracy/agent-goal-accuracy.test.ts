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
import { agentGoalAccuracy } from './agent-goal-accuracy.ts'
import { askAboutGoal } from './ask-judge.ts'
import { estimateAccuracy } from './embedded-judge.ts'

const REFERENCE = 'A table is booked. The booking is for two people. It is for tonight.'

function input(completion: string, reference = REFERENCE) {
  return { question: 'Book a table for two tonight.', completion, reference }
}

testEmbeddedExamples(agentGoalAccuracy)

describe('with a judge', () => {
  const split = { 'agent-goal-accuracy/outcomes': oneStatementPerSentence }

  test('the score is the share of the outcomes that the answer shows as reached', async () => {
    const judge = new ScriptedJudge({
      ...split,
      'agent-goal-accuracy/reached': verdictsBy((text) =>
        text.includes('tonight') ? ['not_mentioned'] : ['supported', 'a table for two'],
      ),
    })
    assert.equal(await askAboutGoal(judge, input('Done: a table for two.')), 0.6667)
    assert.equal((judge.notes['outcomes'] as unknown[]).length, 3)
  })

  test('an outcome without a quote from the answer is not reached', async () => {
    const judge = new ScriptedJudge({
      ...split,
      'agent-goal-accuracy/reached': verdictsBy(() => ['supported', 'a table is booked']),
    })
    assert.equal(await askAboutGoal(judge, input('I will see what I can do.')), 0)
  })

  test('an empty answer reaches nothing, and nobody is asked', async () => {
    assert.equal(await askAboutGoal(silentJudge(), input(' ')), 0)
  })

  test('a judge that finds no outcome in a reference gives no verdict', async () => {
    const judge = new ScriptedJudge({
      'agent-goal-accuracy/outcomes': ({ items }) => ({
        sentences: items.map(({ id }) => ({ id, statements: [] })),
      }),
    })
    await assert.rejects(
      askAboutGoal(judge, input('Done.')),
      (error) => error instanceof NoVerdict && error.reason === 'unparseable',
    )
  })
})

test('a reference that describes nothing is refused', async () => {
  const message = /invalid input: input.reference must describe an outcome/
  await assert.rejects(askAboutGoal(silentJudge(), input('Done.', ' .')), message)
  assert.throws(() => estimateAccuracy(input('Done.', '')), message)
})

describe('without a judge', () => {
  test('what is promised, asked or failed is not reached', () => {
    for (const completion of [
      'I will book a table for two people tonight.',
      'Shall I book a table for two people tonight?',
      'A table for two people tonight could not be booked.',
      "I don't know.",
      '',
    ])
      assert.equal(estimateAccuracy(input(completion)), 0, completion)
  })

  test('another number is another outcome', () => {
    const reference = 'A table for two people is booked.'
    assert.equal(estimateAccuracy(input('A table for 2 people is booked.', reference)), 1)
    assert.equal(estimateAccuracy(input('A table for five people is booked.', reference)), 0)
  })
})
