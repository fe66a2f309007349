import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScriptedJudge, silentJudge, verdictsBy } from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { SOURCE_CHARS_PER_QUESTION } from './limits.ts'
import { verifyStatements } from './verify-statements.ts'

const PROMPT = 'test/verify@1'

test('an empty source mentions nothing, and nobody is asked', async () => {
  const judged = await verifyStatements(silentJudge(), { prompt: PROMPT, statements: ['a'], source: ' \n' })
  assert.deepEqual(
    judged.map(({ verdict }) => verdict),
    ['not_mentioned'],
  )
})

test('a contradiction needs a quote as well', async () => {
  const judge = new ScriptedJudge({ 'test/verify': verdictsBy(() => ['contradicted', 'made up words']) })
  const [judged] = await verifyStatements(judge, {
    prompt: PROMPT,
    statements: ['Oslo is small.'],
    source: 'Oslo is large.',
  })
  assert.deepEqual([judged?.verdict, judged?.quoteFound], ['not_mentioned', false])
})

// A long source whose last sentence alone holds the fact, in words that the statement does not share.
const filler = Array.from({ length: 6_000 }, (_, at) => `The budget of department ${at} was approved.`)
const LONG = [...filler, 'Nobody may bathe in the fountain.'].join(' ')

test('a long source is searched to its end before a statement is not mentioned', async () => {
  assert.ok(LONG.length > 4 * SOURCE_CHARS_PER_QUESTION)
  let longest = 0
  const judge = new ScriptedJudge({
    'test/verify': verdictsBy((_, { data }) => {
      longest = Math.max(longest, data['source']?.length ?? 0)
      const quote = 'Nobody may bathe in the fountain'
      return data['source']?.includes(quote) ? ['supported', quote] : ['not_mentioned']
    }),
  })
  const [judged] = await verifyStatements(judge, {
    prompt: PROMPT,
    statements: ['Swimming in a department is forbidden.'],
    source: LONG,
  })
  assert.equal(judged?.verdict, 'supported')
  assert.ok(judge.asked.length > 1)
  assert.ok(longest <= SOURCE_CHARS_PER_QUESTION)
})

test('the part of a long source that shares words with a statement is asked about first', async () => {
  const judge = new ScriptedJudge({
    'test/verify': verdictsBy((_, { data }) =>
      data['source']?.includes('fountain') ? ['supported', 'in the fountain'] : ['not_mentioned'],
    ),
  })
  await verifyStatements(judge, { prompt: PROMPT, statements: ['The fountain is closed.'], source: LONG })
  assert.equal(judge.asked.length, 1)
})

test('no verdict is passed on as it is', async () => {
  const judge = new ScriptedJudge({
    'test/verify': () => {
      throw new NoVerdict('over_budget', 'the budget is spent')
    },
  })
  await assert.rejects(
    verifyStatements(judge, { prompt: PROMPT, statements: ['a'], source: 'b' }),
    (error) => error instanceof NoVerdict && error.reason === 'over_budget',
  )
})
