import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testEmbeddedExamples } from '../../../tests/support/embedded-examples.ts'
import { ScriptedJudge, silentJudge, verdictsBy } from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { askAboutContext, CONTEXT_CHARS_MAX } from './ask-judge.ts'
import { contextRelevance } from './context-relevance.ts'
import { estimateRelevance } from './embedded-judge.ts'

const CONTEXT = 'The museum is open from 10 to 17. Its café serves waffles. It was built in 1901.'

function input(context: string) {
  return { query: 'When is the museum open?', completion: 'From 10 to 17.', context }
}

testEmbeddedExamples(contextRelevance)

test('the configured judge is asked unless the config names a model', () => {
  assert.equal(contextRelevance.judging?.modelOf?.({}), undefined)
  assert.equal(contextRelevance.judging?.modelOf?.({ model: 'openai/gpt-4o' }), 'openai/gpt-4o')
})

describe('with a judge', () => {
  test('the score is the share of the relevant statements', async () => {
    const judge = new ScriptedJudge({
      'context-relevance/relevance': verdictsBy((text) =>
        text.includes('open') ? ['relevant', 'open from 10 to 17'] : ['irrelevant'],
      ),
    })
    assert.equal(await askAboutContext(judge, input(CONTEXT)), 0.3333)
    assert.equal((judge.notes['statements'] as unknown[]).length, 3)
  })

  test('nothing helps: 0', async () => {
    const judge = new ScriptedJudge({ 'context-relevance/relevance': verdictsBy(() => ['irrelevant']) })
    assert.equal(await askAboutContext(judge, input(CONTEXT)), 0)
  })

  test('a statement whose quote is from another one is not relevant', async () => {
    const judge = new ScriptedJudge({
      'context-relevance/relevance': verdictsBy(() => ['relevant', 'open from 10 to 17']),
    })
    assert.equal(await askAboutContext(judge, input(CONTEXT)), 0.3333)
  })

  test('an empty context is 0, and nobody is asked', async () => {
    assert.equal(await askAboutContext(silentJudge(), input(' \n')), 0)
  })

  test('a judge that leaves statements out gives no verdict instead of a better share', async () => {
    const judge = new ScriptedJudge({
      'context-relevance/relevance': () => ({
        items: [{ id: 1, quote: 'open', reason: '', verdict: 'relevant' }],
      }),
    })
    await assert.rejects(
      askAboutContext(judge, input(CONTEXT)),
      (error) => error instanceof NoVerdict && error.reason === 'unparseable',
    )
  })

  test('a context beyond the limit is refused and not cut', async () => {
    const message = /input.context must have at most 100000 characters/
    const long = input('x'.repeat(CONTEXT_CHARS_MAX + 1))
    await assert.rejects(askAboutContext(silentJudge(), long), message)
    assert.throws(() => estimateRelevance(long), message)
  })
})

describe('without a judge', () => {
  test('a foreign context is 0, and so is an empty one', () => {
    assert.equal(estimateRelevance(input('The biplane had an open-frame tail. It was built in 1910.')), 0)
    assert.equal(estimateRelevance(input('')), 0)
    assert.equal(estimateRelevance({ ...input(CONTEXT), query: '' }), 0)
  })
})
