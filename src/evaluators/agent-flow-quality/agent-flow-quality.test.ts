import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testEmbeddedExamples } from '../../../tests/support/embedded-examples.ts'
import { ScriptedJudge, silentJudge, verdictsBy } from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import type { Judge } from '../../ports/judge.ts'
import { readTurns } from '../trajectory/turns.ts'
import { agentFlowQuality } from './agent-flow-quality.ts'
import { compileCondition } from './compile-condition.ts'

testEmbeddedExamples(agentFlowQuality)

const TURNS = readTurns(
  [
    { role: 'user', content: 'Book me a flight to Oslo.' },
    { role: 'assistant', content: '', tool_calls: [{ name: 'search_flights', arguments: { to: 'OSL' } }] },
    { role: 'tool', content: '2 flights' },
    { role: 'assistant', content: 'I found two flights. Your refund is fine.' },
    { role: 'assistant', content: '', tool_calls: [{ name: 'book', arguments: {} }] },
    { role: 'assistant', content: 'Booked, thank you.' },
  ],
  'messages',
)

describe('conditions that are compiled', () => {
  const conditions: readonly (readonly [condition: string, isMet: boolean])[] = [
    ['The agent calls search_flights.', true],
    ['calls the tool book', true],
    ['Uses the `book` tool exactly once.', true],
    ['The agent must call the pay tool', false],
    ['The agent never calls cancel_order.', true],
    ['The agent does not call search_flights', false],
    ['The agent calls search_flights at least 2 times', false],
    ['The agent calls search_flights before calling book.', true],
    ['The agent calls book before search_flights', false],
    ['The agent makes at most 2 tool calls.', true],
    ['The agent uses no tools.', false],
    ['The agent does not use any tools', false],
    ['The agent mentions "refund".', true],
    ['The agent never mentions "refund".', false],
    ['The agent never says "sorry"', true],
    ['The final answer has at most 5 words.', true],
    ['Every answer has at most 5 words.', false],
    ['The answer ends with "thank you"', true],
    ['The final answer is in JSON format', false],
  ]
  for (const [condition, isMet] of conditions) {
    test(`${condition} (${isMet ? 'met' : 'not met'})`, () =>
      assert.equal(compileCondition(condition)?.(TURNS), isMet))
  }

  for (const condition of [
    'The agent uses polite language.',
    'The agent asks before it books.',
    'Uses simple words',
    'The agent uses humour.',
    'The agent mentions the price.',
    'The agent calls the customer by name.',
  ])
    test(`not: ${condition}`, () => assert.equal(compileCondition(condition), undefined))
})

describe('with a judge', () => {
  async function ask(judge: Judge, conditions: string[], threshold: number) {
    const input = agentFlowQuality.input.parse({
      trajectory_prompts: '["Book a flight."]',
      trajectory_completions: '["I found two. Shall I book the one at 9:40?"]',
    })
    const { judging } = agentFlowQuality
    assert.ok(judging)
    return judging.ask({ input, config: { conditions, threshold }, judge })
  }
  const POLITE = 'The agent is polite.'
  const judgeSaying = (verdict: string, quote = '') =>
    new ScriptedJudge({ 'agent-flow-quality/conditions': verdictsBy(() => [verdict, quote]) })

  test('code decides what it can, the judge is asked about the rest, the score is the share', async () => {
    const judge = judgeSaying('met', 'Shall I book')
    const answer = await ask(judge, ['The agent calls pay_now.', POLITE], 0.5)
    assert.deepEqual(answer, {
      success: true,
      score: 0.5,
      reason: 'The agent calls pay_now: not met; The agent is polite: met.',
    })
    assert.deepEqual(
      judge.asked[0]?.items.map(({ text }) => text),
      [POLITE],
    )
    assert.equal((await ask(judge, ['The agent calls pay_now.', POLITE], 0.51)).success, false)
  })

  test('simple conditions alone need no judge', async () => {
    assert.equal((await ask(silentJudge(), ['The agent never calls pay_now.'], 1)).score, 1)
  })

  test('met needs a quote, and what is only forbidden needs none', async () => {
    assert.equal((await ask(judgeSaying('met', 'please and thank you'), [POLITE], 1)).score, 0)
    assert.equal((await ask(judgeSaying('nothing_against'), [POLITE], 1)).score, 1)
    assert.equal((await ask(judgeSaying('not_met'), [POLITE], 1)).score, 0)
    assert.equal((await ask(judgeSaying('violated', 'Shall I book'), [POLITE], 1)).score, 0)
  })

  test('a violation counts wherever a long conversation has it', async () => {
    const prompts = Array.from({ length: 50 }, (_, at) => `Question ${at}? ${'filler words '.repeat(90)}`)
    const completions = prompts.map((_, at) => (at === 47 ? 'Zounds, you fool.' : `Answer ${at}.`))
    const input = agentFlowQuality.input.parse({
      trajectory_prompts: JSON.stringify(prompts),
      trajectory_completions: JSON.stringify(completions),
    })
    const judge = new ScriptedJudge({
      'agent-flow-quality/conditions': verdictsBy((_text, { data }) =>
        data['conversation']?.includes('Zounds') ? ['violated', 'you fool'] : ['nothing_against'],
      ),
    })
    const config = { conditions: ['The agent never insults anybody.'], threshold: 1 }
    assert.equal((await agentFlowQuality.judging?.ask({ input, config, judge }))?.score, 0)
    assert.ok(judge.asked.length > 1)
  })

  test('the same condition twice counts twice and is asked about once', async () => {
    const judge = judgeSaying('met', 'Shall I book')
    assert.equal((await ask(judge, [POLITE, POLITE, 'The agent calls pay_now.'], 0)).score, 2 / 3)
    assert.equal(judge.asked[0]?.items.length, 1)
  })

  test('no verdict is let through, and too many conditions are refused', async () => {
    const mute = new ScriptedJudge({ 'agent-flow-quality/conditions': () => ({ items: [] }) })
    await assert.rejects(ask(mute, [POLITE], 1), (error) => error instanceof NoVerdict)
    await assert.rejects(
      ask(silentJudge(), Array(101).fill(POLITE), 1),
      /config\.conditions must have at most 100/,
    )
  })
})
