import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testEmbeddedExamples } from '../../../tests/support/embedded-examples.ts'
import {
  oneStatementPerSentence,
  ScriptedJudge,
  silentJudge,
  verdictsBy,
} from '../../../tests/support/scripted-judge.ts'
import type { Judge } from '../../ports/judge.ts'
import { agentGoalCompleteness } from './agent-goal-completeness.ts'

testEmbeddedExamples(agentGoalCompleteness)

function ask(judge: Judge, prompts: unknown[], completions: unknown[], config = { threshold: 0.5 }) {
  const input = agentGoalCompleteness.input.parse({
    trajectory_prompts: JSON.stringify(prompts),
    trajectory_completions: JSON.stringify(completions),
  })
  const ask = agentGoalCompleteness.judging?.ask
  assert.ok(ask)
  return ask({ input, config: agentGoalCompleteness.config.parse(config), judge })
}

const PROMPTS = ['Cancel my order 1042.', 'Send me the invoice.']
const COMPLETIONS = ['Order 1042 is cancelled.', 'I cannot find invoices here.']

describe('with a judge', () => {
  const judge = (quote = 'Order 1042 is cancelled') =>
    new ScriptedJudge({
      'agent-goal-completeness/goals': oneStatementPerSentence,
      'agent-goal-completeness/fulfilled': verdictsBy((text) =>
        text.includes('Cancel') ? ['fulfilled', quote] : ['open'],
      ),
    })

  test('the score is the share of fulfilled goals, and success begins at the threshold', async () => {
    assert.deepEqual(await ask(judge(), PROMPTS, COMPLETIONS), {
      success: true,
      score: 0.5,
      reason: 'Fulfilled: Cancel my order 1042. Open: Send me the invoice.',
    })
    assert.equal((await ask(judge(), PROMPTS, COMPLETIONS, { threshold: 0.6 })).success, false)
  })

  test('a goal is fulfilled only by words of the agent, not by those of the user', async () => {
    const { score } = await ask(judge('Cancel my order 1042'), PROMPTS, COMPLETIONS)
    assert.equal(score, 0)
  })

  test('an agent that says and does nothing fulfils nothing, and nobody is asked', async () => {
    assert.equal((await ask(silentJudge(), PROMPTS, ['', ' '])).score, 0)
  })

  test('a user who wants nothing leaves nothing open', async () => {
    const none = new ScriptedJudge({
      'agent-goal-completeness/goals': ({ items }) => ({
        sentences: items.map(({ id }) => ({ id, statements: [] })),
      }),
    })
    assert.equal((await ask(none, ['Hello!'], ['Hi.'])).score, 1)
  })
})
