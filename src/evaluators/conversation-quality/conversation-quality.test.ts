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
import { readExchanges } from '../trajectory/turns.ts'
import { conversationQuality } from './conversation-quality.ts'
import { judgeConversation } from './judge-conversation.ts'
import { judgeConversationLocally } from './local-quality.ts'

testEmbeddedExamples(conversationQuality)

const TURNS = readExchanges(
  ['I am allergic to nuts. Suggest a dessert.', 'Another one, please.'],
  ['How about panna cotta?', 'Sure. Do you have any allergies?'],
)

/** All is well, but for what is given. */
const judgeWith = (answers: Record<string, ScriptedAnswer> = {}) =>
  new ScriptedJudge({
    'conversation-quality/relevant': verdictsBy(() => ['relevant']),
    'conversation-quality/goals': oneStatementPerSentence,
    'conversation-quality/fulfilled': verdictsBy(() => ['fulfilled', 'panna cotta']),
    'conversation-quality/facts': oneStatementPerSentence,
    'conversation-quality/memory': verdictsBy(() => ['remembers']),
    ...answers,
  })

const rounded = async (judge: ScriptedJudge, turns = TURNS) =>
  Math.round((await judgeConversation(turns, judge)) * 1000) / 1000

describe('with a judge', () => {
  test('relevance has the weight 0.4, completeness 0.4 and memory 0.2', async () => {
    assert.equal(await judgeConversation(TURNS, judgeWith()), 1)
    const irrelevant = { 'conversation-quality/relevant': verdictsBy(() => ['irrelevant']) }
    assert.equal(await rounded(judgeWith(irrelevant)), 0.6)
    const open = { 'conversation-quality/fulfilled': verdictsBy(() => ['open']) }
    assert.equal(await rounded(judgeWith(open)), 0.6)
    const forgets = {
      'conversation-quality/memory': verdictsBy(() => ['forgets', 'Do you have any allergies']),
    }
    assert.equal(await rounded(judgeWith(forgets)), 0.8)
  })

  test('each part is a share', async () => {
    const judge = judgeWith({
      'conversation-quality/relevant': verdictsBy((text) => [
        text.includes('turn 2') ? 'relevant' : 'irrelevant',
      ]),
    })
    assert.equal(await rounded(judge), 0.8)
  })

  test('only turns after the second of the user can forget', async () => {
    const judge = judgeWith()
    await judgeConversation(TURNS, judge)
    const asked = judge.asked.find(({ prompt }) => prompt.startsWith('conversation-quality/memory'))
    assert.deepEqual(
      asked?.items.map(({ text }) => text.slice(0, 6)),
      ['turn 4'],
    )
    const single = judgeWith()
    await judgeConversation(TURNS.slice(0, 2), single)
    assert.ok(!single.asked.some(({ prompt }) => prompt.startsWith('conversation-quality/memory')))
  })

  test('forgetting that the turn itself does not show does not hold', async () => {
    const judge = judgeWith({
      'conversation-quality/memory': verdictsBy(() => ['forgets', 'How about panna cotta']),
    })
    assert.equal(await judgeConversation(TURNS, judge), 1)
  })

  test('a conversation without any answer has 0, and nobody is asked', async () => {
    assert.equal(await judgeConversation(readExchanges(['Hello?'], ['']), silentJudge()), 0)
  })

  test('no verdict is let through', async () => {
    const judge = judgeWith({
      'conversation-quality/facts': () => {
        throw new NoVerdict('over_budget', 'spent')
      },
    })
    await assert.rejects(judgeConversation(TURNS, judge), (error) => error instanceof NoVerdict)
  })
})

test('without a judge any conversation has a score from 0 to 1', () => {
  for (const turns of [
    readExchanges([''], []),
    readExchanges(['ok'], ['ok']),
    readExchanges([1], [{ a: 1 }]),
  ]) {
    const score = judgeConversationLocally(turns)
    assert.ok(score >= 0 && score <= 1, String(score))
  }
})
