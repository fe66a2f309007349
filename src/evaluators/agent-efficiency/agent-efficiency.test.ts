import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testEmbeddedExamples } from '../../../tests/support/embedded-examples.ts'
import { oneStatementPerSentence, ScriptedJudge, verdictsBy } from '../../../tests/support/scripted-judge.ts'
import { readTurns } from '../trajectory/turns.ts'
import { agentEfficiency } from './agent-efficiency.ts'
import { judgeSteps, judgeStepsLocally } from './judge-steps.ts'
import { findWaste, stepsOf } from './steps.ts'

testEmbeddedExamples(agentEfficiency)

const call = (name: string, args: object = {}) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ name, arguments: args }],
})
const result = (content: string) => ({ role: 'tool', content })
const say = (content: string) => ({ role: 'assistant', content })
const turnsOf = (...messages: unknown[]) =>
  readTurns([{ role: 'user', content: 'Do it.' }, ...messages], 'messages')
const wasteOf = (...messages: unknown[]) =>
  [...findWaste(stepsOf(turnsOf(...messages))).values()].map(({ kind }) => kind)

describe('code finds', () => {
  test('a call that is made again with the same arguments and the same result', () => {
    const search = call('search', { q: 'oslo', n: 1 })
    const again = call('search', { n: 1, q: 'oslo' })
    assert.deepEqual(wasteOf(search, result('a'), again, result('a'), say('Done.')), ['repeat'])
    assert.deepEqual(wasteOf(search, result('a'), call('search', { q: 'bergen' }), result('b')), [])
  })

  test('no waste in a look that shows something new', () => {
    assert.deepEqual(wasteOf(call('status'), result('running'), call('status'), result('done')), [])
  })

  test('a call that is tried again after an error that will not pass', () => {
    const open = call('open', { id: 7 })
    assert.deepEqual(wasteOf(open, result('Error: no such id'), open, result('Error: no such id')), [
      'retried error',
    ])
  })

  test('no waste in one more try after an error that may pass, but in a third one', () => {
    const open = call('open', { id: 7 })
    const busy = result('Error: 503 service unavailable')
    assert.deepEqual(wasteOf(open, busy, open, result('fine')), [])
    assert.deepEqual(wasteOf(open, busy, open, busy, open, busy), ['retried error'])
  })

  test('a round that is gone through again', () => {
    const round = [call('a'), result('1'), call('b'), result('2')]
    assert.deepEqual(wasteOf(...round, ...round), ['repeat', 'loop'])
  })

  test('the same words said again', () => {
    assert.deepEqual(wasteOf(say('I will look.'), say('i  will LOOK.')), ['repeat'])
  })
})

describe('with a judge', () => {
  const turns = turnsOf(call('a'), result('1'), call('a'), result('1'), call('b'), result('2'), say('Done.'))

  test('only the steps that code leaves open are asked about, and what is redundant needs a quote', async () => {
    const judge = (quote: string) =>
      new ScriptedJudge({
        'agent-efficiency/steps': verdictsBy((text) =>
          text.includes('b(') ? ['redundant', quote] : ['needed'],
        ),
      })
    const asked = judge('b({})')
    assert.equal((await judgeSteps(turns, asked)).score, 0.5)
    assert.deepEqual(
      asked.asked[0]?.items.map(({ text }) => text),
      ['turn 2: a({})', 'turn 6: b({})', 'turn 8: Done.'],
    )
    assert.equal((await judgeSteps(turns, judge('never said'))).score, 0.75)
  })

  test('both scores and reasons are given', async () => {
    const judge = new ScriptedJudge({
      'agent-efficiency/goals': oneStatementPerSentence,
      'agent-efficiency/fulfilled': verdictsBy(() => ['fulfilled', 'It rains']),
    })
    const input = agentEfficiency.input.parse({
      trajectory_prompts: '["How is the weather?"]',
      trajectory_completions: '["It rains."]',
    })
    assert.deepEqual(await agentEfficiency.judging?.ask({ input, config: {}, judge }), {
      step_efficiency_score: 1,
      step_efficiency_reason: 'No redundant step among 1.',
      task_completion_score: 1,
      task_completion_reason: 'Fulfilled: How is the weather?',
    })
  })
})

test('without steps nothing is redundant', () => {
  assert.deepEqual(judgeStepsLocally(turnsOf()), { score: 1, reason: 'There are no steps.' })
})
