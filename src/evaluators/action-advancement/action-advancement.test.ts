import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testEmbeddedExamples } from '../../../tests/support/embedded-examples.ts'
import {
  oneStatementPerSentence,
  type ScriptedAnswer,
  ScriptedJudge,
  silentJudge,
  verdictsBy,
} from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { readTurns } from '../trajectory/turns.ts'
import { actionAdvancement } from './action-advancement.ts'
import { advancesLocally, askWhetherAdvanced } from './advance.ts'

testEmbeddedExamples(actionAdvancement)

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string, calls?: unknown[]) => ({
  role: 'assistant',
  content,
  ...(calls && { tool_calls: calls }),
})
const tool = (content: string) => ({ role: 'tool', content })
const CANCEL = [{ name: 'cancel', arguments: { order: 1042 } }]

const judgeWith = (answers: Record<string, ScriptedAnswer>) =>
  new ScriptedJudge({ 'action-advancement/goals': oneStatementPerSentence, ...answers })

describe('with a judge', () => {
  const plain = readTurns([user('Cancel order 1042.'), assistant('Order 1042 is cancelled.')], 'messages')
  const failed = readTurns(
    [
      user('Cancel order 1042.'),
      assistant('', CANCEL),
      tool('Error: order not found'),
      assistant('Order 1042 is cancelled.'),
    ],
    'messages',
  )
  const advanced = verdictsBy(() => ['advanced', 'Order 1042 is cancelled'])

  test('one goal that is moved forward is enough; without tools nothing else is asked', async () => {
    const judge = judgeWith({ 'action-advancement/advanced': advanced })
    assert.equal((await askWhetherAdvanced(plain, judge)).pass, true)
    assert.equal(judge.asked.length, 2)
  })

  test('it has to be shown by the words of the assistant', async () => {
    const judge = judgeWith({
      'action-advancement/advanced': verdictsBy(() => ['advanced', 'Cancel order 1042.']),
    })
    assert.equal((await askWhetherAdvanced(plain, judge)).pass, false)
  })

  test('words that a result of a tool contradicts move nothing forward', async () => {
    const consistent = (verdict: string, quote = '') =>
      judgeWith({
        'action-advancement/advanced': advanced,
        'action-advancement/consistent': verdictsBy(() => [verdict, quote]),
      })
    assert.equal(
      (await askWhetherAdvanced(failed, consistent('contradicted', 'order not found'))).pass,
      false,
    )
    assert.equal((await askWhetherAdvanced(failed, consistent('contradicted', 'is cancelled'))).pass, true)
    assert.equal((await askWhetherAdvanced(failed, consistent('consistent'))).pass, true)
  })

  test('an assistant that did nothing needs no judge', async () => {
    const turns = readTurns([user('Cancel order 1042.')], 'messages')
    assert.equal((await askWhetherAdvanced(turns, silentJudge())).pass, false)
  })

  test('no verdict is let through', async () => {
    const judge = judgeWith({ 'action-advancement/advanced': () => ({ items: [] }) })
    await assert.rejects(askWhetherAdvanced(plain, judge), (error) => error instanceof NoVerdict)
  })
})

describe('without a judge', () => {
  const passes = (...messages: unknown[]) => advancesLocally(readTurns(messages, 'messages')).pass

  test('a call that waits for its result moves forward, one that failed does not', () => {
    assert.equal(passes(user('Cancel order 1042.'), assistant('', CANCEL)), true)
    assert.equal(
      passes(user('Cancel order 1042.'), assistant('', CANCEL), tool('{"error": "not found"}')),
      false,
    )
  })

  test('success that is claimed after an error of the tool is not believed', () => {
    const call = [user('Cancel order 1042.'), assistant('', CANCEL)]
    const claim = assistant('Order 1042 is cancelled.')
    assert.equal(passes(...call, tool('Error: order not found'), claim), false)
    assert.equal(passes(...call, tool('{"status": "cancelled"}'), claim), true)
  })

  test('a refusal moves nothing forward', () => {
    assert.equal(passes(user('Cancel order 1042.'), assistant('I cannot cancel order 1042.')), false)
  })
})
