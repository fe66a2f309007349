import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testEmbeddedExamples } from '../../../tests/support/embedded-examples.ts'
import {
  oneStatementPerSentence,
  ScriptedJudge,
  silentJudge,
  verdictsBy,
} from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { PublicError } from '../../lib/public-error.ts'
import { JUDGED_SOURCE_CHARS_MAX, JUDGED_TEXT_CHARS_MAX } from '../judged/limits.ts'
import { askAboutFaithfulness } from './ask-judge.ts'
import { looksFaithful } from './embedded-judge.ts'
import { faithfulness } from './faithfulness.ts'

const CONTEXT = 'The museum is open from 10 to 17. It is closed on Mondays.'
const QUESTION = 'When does the museum open?'

function input(completion: string, context = CONTEXT) {
  return { completion, context, question: QUESTION }
}

describe('with a judge', () => {
  const claims = { 'faithfulness/claims': oneStatementPerSentence }

  test('every claim that is supported by a quote makes the answer faithful, and the claims are kept', async () => {
    const judge = new ScriptedJudge({
      ...claims,
      'faithfulness/verify': verdictsBy(() => ['supported', 'open from 10 to 17']),
    })
    assert.equal(await askAboutFaithfulness(judge, input('It opens at 10. It closes at 17.')), true)
    const kept = judge.notes['claims'] as { item: string; quote: string; verdict: string }[]
    assert.deepEqual(
      kept.map(({ item, quote, verdict }) => [item, quote, verdict]),
      [
        ['It opens at 10.', 'open from 10 to 17', 'supported'],
        ['It closes at 17.', 'open from 10 to 17', 'supported'],
      ],
    )
  })

  for (const verdict of ['contradicted', 'not_mentioned']) {
    test(`one claim that is ${verdict} makes it unfaithful`, async () => {
      const judge = new ScriptedJudge({
        ...claims,
        'faithfulness/verify': verdictsBy((text) =>
          text.includes('free') ? [verdict, 'closed on Mondays'] : ['supported', 'open from 10 to 17'],
        ),
      })
      assert.equal(await askAboutFaithfulness(judge, input('It opens at 10. Entry is free.')), false)
    })
  }

  test('a judge that says supported with a quote of its own making is not believed', async () => {
    const judge = new ScriptedJudge({
      ...claims,
      'faithfulness/verify': verdictsBy(() => ['supported', 'Entry is free of charge']),
    })
    assert.equal(await askAboutFaithfulness(judge, input('Entry is free.')), false)
  })

  test('who does not know claims nothing, and nobody is asked', async () => {
    for (const completion of ['', "I don't know.", 'The text does not mention that.'])
      assert.equal(await askAboutFaithfulness(silentJudge(), input(completion)), true)
  })

  test('an answer without a claim is faithful', async () => {
    const judge = new ScriptedJudge({
      'faithfulness/claims': ({ items }) => ({ sentences: items.map(({ id }) => ({ id, statements: [] })) }),
    })
    assert.equal(await askAboutFaithfulness(judge, input('Hello there!')), true)
  })

  test('claims without any context are not faithful', async () => {
    assert.equal(await askAboutFaithfulness(new ScriptedJudge(claims), input('It opens at 10.', '')), false)
  })

  test('no verdict is never a verdict', async () => {
    const judge = new ScriptedJudge({
      ...claims,
      'faithfulness/verify': () => {
        throw new NoVerdict('refused', 'I would rather not')
      },
    })
    await assert.rejects(
      askAboutFaithfulness(judge, input('It opens at 10.')),
      (error) => error instanceof NoVerdict && error.reason === 'refused',
    )
  })

  test('texts beyond the limits are refused and not cut', async () => {
    const long = 'x'.repeat(JUDGED_TEXT_CHARS_MAX + 1)
    await assert.rejects(
      askAboutFaithfulness(silentJudge(), input(long)),
      (error) =>
        error instanceof PublicError &&
        error.kind === 'too_large' &&
        error.message === 'input.completion must have at most 40000 characters',
    )
    await assert.rejects(
      askAboutFaithfulness(silentJudge(), input('a', 'x'.repeat(JUDGED_SOURCE_CHARS_MAX + 1))),
      /input.context must have at most 400000 characters/,
    )
  })
})

describe('without a judge', () => {
  for (const [completion, expected] of [
    ['The museum opens at 10.', true],
    ['10', true],
    ["Sorry, I don't know.", true],
    ['The museum opens at 9.', false],
    ['The museum is open from 10 to 17 and entry is free.', false],
    ['The museum is not open from 10 to 17.', false],
    ['The Louvre museum is open from 10 to 17.', false],
  ] as const) {
    test(`"${completion}" is ${expected ? 'faithful' : 'not faithful'}`, () => {
      assert.equal(looksFaithful(input(completion)), expected)
    })
  }

  test('nothing is faithful to an empty context but an answer that claims nothing', () => {
    assert.equal(looksFaithful(input('The museum opens at 10.', '')), false)
    assert.equal(looksFaithful(input('', '')), true)
  })
})

testEmbeddedExamples(faithfulness)
