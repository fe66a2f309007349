import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testEmbeddedExamples } from '../../../tests/support/embedded-examples.ts'
import { ScriptedJudge, silentJudge, verdictsBy } from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { SOURCE_CHARS_PER_QUESTION } from '../judged/limits.ts'
import { answerCompleteness } from './answer-completeness.ts'
import { askAboutCompleteness } from './ask-judge.ts'
import { completenessOf } from './completeness-score.ts'
import { estimateCompleteness } from './embedded-judge.ts'

const CONTEXT = 'The museum opens at 10. It closes at 17. It has a café.'

function input(completion: string, context = CONTEXT) {
  return { question: 'When is the museum open?', completion, context }
}

function facts(...list: [fact: string, quote: string, importance: string][]) {
  return () => ({ facts: list.map(([fact, quote, importance]) => ({ fact, quote, importance })) })
}

testEmbeddedExamples(answerCompleteness)

test('a minor fact counts half as much as a vital one', () => {
  assert.equal(
    completenessOf([
      { isVital: true, isCovered: true },
      { isVital: false, isCovered: false },
    ]),
    0.6667,
  )
})

describe('with a judge', () => {
  const covered = {
    'answer-completeness/covered': verdictsBy((text, { data }) =>
      data['answer']?.includes(text.split(' ').at(-1) ?? '?')
        ? ['supported', data['answer'] ?? '']
        : ['not_mentioned'],
    ),
  }

  test('the needed facts are looked up in the answer, and kept with their quotes', async () => {
    const judge = new ScriptedJudge({
      ...covered,
      'answer-completeness/facts': facts(
        ['it opens at 10', 'opens at 10', 'vital'],
        ['it closes at 17', 'It closes at 17', 'minor'],
      ),
    })
    assert.equal(await askAboutCompleteness(judge, input('At 10')), 0.6667)
    const [first] = judge.notes['facts'] as Record<string, unknown>[]
    assert.deepEqual([first?.['isVital'], first?.['contextQuote']], [true, 'opens at 10'])
  })

  test('a fact that is not in the context need not be covered', async () => {
    const judge = new ScriptedJudge({
      ...covered,
      'answer-completeness/facts': facts(
        ['it opens at 10', 'opens at 10', 'vital'],
        ['entry is free', 'Entry is free', 'vital'],
      ),
    })
    assert.equal(await askAboutCompleteness(judge, input('At 10')), 1)
  })

  test('where the context offers nothing, nothing is left out', async () => {
    const judge = new ScriptedJudge({ 'answer-completeness/facts': facts() })
    assert.equal(await askAboutCompleteness(judge, input('At 10')), 1)
    assert.equal(await askAboutCompleteness(silentJudge(), input('At 10', '')), 1)
  })

  test('an empty answer covers nothing of what is needed', async () => {
    const judge = new ScriptedJudge({
      'answer-completeness/facts': facts(['it opens at 10', 'opens at 10', 'vital']),
    })
    assert.equal(await askAboutCompleteness(judge, input('')), 0)
  })

  test('facts are looked for in all of a long context', async () => {
    const filler = Array.from({ length: 2_500 }, (_, at) => `Room ${at} shows vases and coins.`).join(' ')
    const judge = new ScriptedJudge({
      ...covered,
      'answer-completeness/facts': ({ data }) => {
        assert.ok((data['context']?.length ?? 0) <= SOURCE_CHARS_PER_QUESTION)
        return data['context']?.includes('It opens at 10')
          ? facts(['it opens at 10', 'opens at 10', 'vital'])()
          : facts()()
      },
    })
    assert.equal(await askAboutCompleteness(judge, input('Closed', `${filler} It opens at 10.`)), 0)
  })

  test('no verdict is never a score', async () => {
    const judge = new ScriptedJudge({
      'answer-completeness/facts': () => {
        throw new NoVerdict('over_budget', 'spent')
      },
    })
    await assert.rejects(askAboutCompleteness(judge, input('At 10')), NoVerdict)
  })
})

describe('without a judge', () => {
  test('an answer that has all of it is complete, one that has nothing of it is not', () => {
    assert.equal(estimateCompleteness(input('The museum opens at 10. It closes at 17.')), 1)
    assert.equal(estimateCompleteness(input("I don't know.")), 0)
    assert.equal(estimateCompleteness(input('')), 0)
    assert.equal(estimateCompleteness(input('At 10', '')), 1)
  })
})
