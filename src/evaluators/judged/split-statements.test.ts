import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneStatementPerSentence, ScriptedJudge } from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { ITEMS_PER_QUESTION } from './limits.ts'
import { splitStatements } from './split-statements.ts'

const TEXT = 'Oslo is in Norway. It is the capital. Hello!'

test('statements come in the order of the sentences, whatever the order of the answers', async () => {
  const judge = new ScriptedJudge({
    'test/split': () => ({
      sentences: [
        { id: 3, statements: [] },
        { id: 2, statements: ['Oslo is\n the capital', ' '] },
        { id: 9, statements: ['nobody asked for this'] },
        { id: 1, statements: ['Oslo is a city'] },
        { id: 1, statements: ['Oslo is in Norway'] },
      ],
    }),
  })
  assert.deepEqual(await splitStatements(judge, { prompt: 'test/split@1', text: TEXT }), [
    'Oslo is a city',
    'Oslo is in Norway',
    'Oslo is the capital',
  ])
})

test('a sentence that is left out is asked about once more, with the whole text beside it', async () => {
  const judge = new ScriptedJudge({
    'test/split': () => ({ sentences: [{ id: 1, statements: ['a'] }] }),
    'test/split/again': oneStatementPerSentence,
  })
  const found = await splitStatements(judge, { prompt: 'test/split@1', text: TEXT })
  assert.deepEqual(found, ['a', 'It is the capital.', 'Hello!'])
  assert.deepEqual(
    judge.asked[1]?.items.map(({ id }) => id),
    [2, 3],
  )
  assert.match(judge.asked[1]?.data['whole text'] ?? '', /Oslo is in Norway/)
})

test('a sentence that is left out twice is no verdict: it could hold the claim that matters', async () => {
  const judge = new ScriptedJudge({ 'test/split': () => ({ sentences: [] }) })
  await assert.rejects(
    splitStatements(judge, { prompt: 'test/split@1', text: TEXT }),
    (error) => error instanceof NoVerdict && error.reason === 'unparseable',
  )
})

test('a long text is taken apart to its end', async () => {
  const text = Array.from({ length: ITEMS_PER_QUESTION + 5 }, (_, at) => `City ${at} is large.`).join(' ')
  const judge = new ScriptedJudge({ 'test/split': oneStatementPerSentence })
  const found = await splitStatements(judge, { prompt: 'test/split@1', text })
  assert.equal(found.length, ITEMS_PER_QUESTION + 5)
  assert.equal(judge.asked.length, 2)
})
