import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testEmbeddedExamples } from '../../../tests/support/embedded-examples.ts'
import { ScriptedJudge, silentJudge, verdictsBy } from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { readExchanges } from '../trajectory/turns.ts'
import { intentChange } from './intent-change.ts'
import { judgeIntent } from './judge-intent.ts'
import { keepsIntentLocally } from './local-intent.ts'

testEmbeddedExamples(intentChange)

const PROMPTS = ['I want to fly to Oslo.', 'On Friday.', 'Write me a poem.', 'Thanks!']
const TURNS = readExchanges(PROMPTS, ['When?', 'There is one at 9:40.', 'Soft paws.', 'You are welcome.'])

describe('with a judge', () => {
  const judgeSaying = (verdict: string, quote: string) =>
    new ScriptedJudge({
      'intent-change/turns': verdictsBy((text) => (text.includes('poem') ? [verdict, quote] : ['same'])),
    })

  test('one turn that wants something else changes the intent', async () => {
    const answer = await judgeIntent(TURNS, judgeSaying('different', 'Write me a poem'))
    assert.equal(answer.success, false)
    assert.equal(answer.score, 0)
    assert.match(answer.reason, /turn 5: Write me a poem/)
  })

  test('a natural next step changes nothing', async () => {
    const answer = await judgeIntent(TURNS, judgeSaying('next_step', ''))
    assert.equal(answer.success, true)
    assert.equal(answer.score, 1)
  })

  test('a change without words of that turn does not hold', async () => {
    assert.equal((await judgeIntent(TURNS, judgeSaying('different', 'I want to fly'))).success, true)
  })

  test('only later turns that want something are asked about', async () => {
    const judge = judgeSaying('same', '')
    await judgeIntent(TURNS, judge)
    assert.deepEqual(
      judge.asked[0]?.items.map(({ text }) => text),
      ['turn 3: On Friday.', 'turn 5: Write me a poem.'],
    )
  })

  test('a single turn, and thanks alone, need no judge', async () => {
    for (const prompts of [['I want to fly.'], ['I want to fly.', 'Thank you very much!', 'ok']]) {
      assert.equal((await judgeIntent(readExchanges(prompts, []), silentJudge())).score, 1)
    }
  })

  test('no verdict is let through', async () => {
    const judge = new ScriptedJudge({ 'intent-change/turns': () => ({ items: [] }) })
    await assert.rejects(judgeIntent(TURNS, judge), (error) => error instanceof NoVerdict)
  })
})

describe('without a judge', () => {
  test('every later turn is looked at, not only the last', () => {
    assert.equal(keepsIntentLocally(TURNS).success, false)
  })

  test('a turn without an answer and an empty one are fine', () => {
    assert.equal(keepsIntentLocally(readExchanges(['', 'ok', ''], [])).score, 1)
  })
})
