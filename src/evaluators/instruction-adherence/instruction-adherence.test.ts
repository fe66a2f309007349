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
import { JUDGED_TEXT_CHARS_MAX } from '../judged/limits.ts'
import { instructionAdherence } from './instruction-adherence.ts'
import { judgeInstructions } from './judge-instructions.ts'
import { adheresLocally } from './local-adherence.ts'

testEmbeddedExamples(instructionAdherence)

const lists = { 'instruction-adherence/instructions': oneStatementPerSentence }

describe('with a judge', () => {
  test('instructions that code can verify to the end reach no judge', async () => {
    const judge = silentJudge()
    const instructions = 'Use at most 3 words. Answer in lower case. Do not use any commas.'
    assert.equal(await judgeInstructions({ instructions, response: 'red and blue' }, judge), 1)
    assert.equal(await judgeInstructions({ instructions, response: 'red, Blue' }, judge), 1 / 3)
    assert.equal(judge.asked.length, 0)
    assert.deepEqual(
      (judge.notes['instructions'] as { by: string }[]).map(({ by }) => by),
      ['code', 'code', 'code'],
    )
  })

  test('the score is the share of what code and judge find followed', async () => {
    const judge = new ScriptedJudge({
      ...lists,
      'instruction-adherence/follow': verdictsBy((text) =>
        text.includes('Oslo') ? ['followed', 'Oslo is a city'] : ['not_followed'],
      ),
    })
    const instructions = 'Write about Oslo. Be funny. Use at most 50 words.'
    assert.equal(await judgeInstructions({ instructions, response: 'Oslo is a city.' }, judge), 2 / 3)
    const asked = judge.asked.filter(({ prompt }) => prompt.startsWith('instruction-adherence/follow'))
    assert.deepEqual(
      asked[0]?.items.map(({ text }) => text),
      ['Write about Oslo.', 'Be funny.'],
    )
  })

  test('an instruction whose verifiable part fails is not asked about', async () => {
    const judge = new ScriptedJudge(lists)
    const instructions = 'Write a 3-line poem about cats.'
    assert.equal(await judgeInstructions({ instructions, response: 'one line' }, judge), 0)
    assert.equal(judge.asked.length, 1)
  })

  test('an instruction whose verifiable part holds is still asked about', async () => {
    const judge = new ScriptedJudge({
      ...lists,
      'instruction-adherence/follow': verdictsBy(() => ['not_followed']),
    })
    const instructions = 'Write a 3-line poem about cats.'
    assert.equal(await judgeInstructions({ instructions, response: 'dogs\nand\ndogs' }, judge), 0)
    assert.equal(judge.asked.length, 2)
  })

  test('followed counts only with words of the response, forbidden things need none', async () => {
    const verdict = (...given: [string, string?]) =>
      new ScriptedJudge({ ...lists, 'instruction-adherence/follow': verdictsBy(() => given) })
    const input = { instructions: 'Mention the weather.', response: 'It rains today.' }
    assert.equal(await judgeInstructions(input, verdict('followed', 'It rains')), 1)
    assert.equal(await judgeInstructions(input, verdict('followed', 'sunny and warm')), 0)
    assert.equal(await judgeInstructions(input, verdict('nothing_against')), 1)
  })

  test('nothing to follow is followed, and an empty response follows nothing; nobody is asked', async () => {
    assert.equal(await judgeInstructions({ instructions: ' ', response: 'x' }, silentJudge()), 1)
    assert.equal(await judgeInstructions({ instructions: 'Be kind.', response: ' ' }, silentJudge()), 0)
  })

  test('instructions that hold no demand give 1', async () => {
    const judge = new ScriptedJudge({
      'instruction-adherence/instructions': ({ items }) => ({
        sentences: items.map(({ id }) => ({ id, statements: [] })),
      }),
    })
    assert.equal(await judgeInstructions({ instructions: 'Hello there.', response: 'Hi.' }, judge), 1)
  })

  test('no verdict is let through', async () => {
    const judge = new ScriptedJudge({
      ...lists,
      'instruction-adherence/follow': () => {
        throw new NoVerdict('refused', 'no')
      },
    })
    await assert.rejects(
      judgeInstructions({ instructions: 'Be kind.', response: 'Hi.' }, judge),
      (error) => error instanceof NoVerdict && error.reason === 'refused',
    )
  })

  test('an instruction that the judge leaves out twice is no verdict', async () => {
    const judge = new ScriptedJudge({ ...lists, 'instruction-adherence/follow': () => ({ items: [] }) })
    await assert.rejects(
      judgeInstructions({ instructions: 'Be kind.', response: 'Hi.' }, judge),
      (error) => error instanceof NoVerdict && error.reason === 'unparseable',
    )
  })

  test('what is too long is refused with the name of the field', async () => {
    const response = 'x'.repeat(JUDGED_TEXT_CHARS_MAX + 1)
    await assert.rejects(
      judgeInstructions({ instructions: 'Be kind.', response }, silentJudge()),
      (error) =>
        error instanceof PublicError && error.kind === 'too_large' && /input\.response/.test(error.message),
    )
  })
})

describe('without a judge', () => {
  test('a response to what was asked scores higher than one to something else', () => {
    const instructions = 'Explain how bread is baked.'
    const own = adheresLocally({
      instructions,
      response: 'Bread dough is kneaded, rises, and is baked in an oven.',
    })
    const foreign = adheresLocally({ instructions, response: 'The parliament meets on Tuesdays.' })
    assert.ok(own > 0.5 && foreign < 0.5, `${own} ${foreign}`)
  })

  test('any input has a score from 0 to 1', () => {
    for (const [instructions, response] of [
      ['', ''],
      ['Answer in French.', 'Oslo'],
      ['!!!', '???'],
      ['Be kind.', "I don't know."],
    ] as const) {
      const score = adheresLocally({ instructions, response })
      assert.ok(score >= 0 && score <= 1, `${instructions} ${score}`)
    }
  })
})
